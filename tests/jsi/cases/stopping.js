// Cancelling stops the core within its work, whatever the call: the probe holds the core at an early and at a late question,
// cancels, and counts what is asked after the answer. args: a multilingual model.
//
// One thread, since how often several ask depends on how they share their work.
const QUICK = { audioCtx: 64, nThreads: 1 };

/** Cancels a job that the core is held in at its nth question; gives its result, and the questions after the answer. */
async function cancelledAt(nth, start) {
  holdCore(nth);
  const job = start();
  await inside(1);
  while (probe().asked < nth) await pause(1);
  job.cancel();
  holdCore(0);
  const result = await job.promise;
  const { asked, askedAfterStop } = probe();
  equal(result.isCancelled, true, `cancelled at question ${nth}`);
  check(asked - nth === askedAfterStop && askedAfterStop <= 1, `question ${nth}: ${JSON.stringify(probe())}`);
  return result;
}

/** Questions of a whole run. */
async function questionsOf(start) {
  holdCore(0);
  const result = await start().promise;
  equal(result.isCancelled, false, 'whole');
  return { result, asked: probe().asked };
}

run(async () => {
  const context = await wsp.openContext({ path: MODEL });
  const vad = await wsp.openVad({ path: VAD_MODEL });
  const samples = samplesOf(RECORDING);
  const audio = { data: samples };
  const calls = {
    transcribe: () => context.transcribe(audio, QUICK),
    'transcribe a file': () => context.transcribe({ path: RECORDING }, QUICK),
    'transcribe with voice activity': () => context.transcribe(audio, { ...QUICK, vad: true, vadModelPath: VAD_MODEL }),
    detectLanguage: () => context.detectLanguage(audio, { nThreads: 1 }),
    bench: () => context.bench({ nThreads: 1 }),
    detect: () => vad.detect(audio, { probabilities: true }),
  };
  for (const [name, start] of Object.entries(calls)) {
    const { result, asked } = name === 'bench' ? { result: null, asked: 3000 } : await questionsOf(start);
    check(asked > 2, `${name} asks ${asked} times`);
    for (const nth of [1, 2, Math.floor(asked / 2), Math.floor(0.9 * asked)]) {
      const cut = await cancelledAt(nth, start);
      if (name === 'detectLanguage') equal(['language' in cut, cut.probabilities], [false, []], name);
      if (name === 'bench') equal([cut.encodeMs, cut.decodeMs], [0, 0], name);
      if (name === 'detect') equal(cut.segments, [], name);
    }
    if (name === 'bench') continue;
    // The next job finds everything in order.
    const again = await start().promise;
    equal({ ...again, stats: null }, { ...result, stats: null }, name);
  }
  const { language, probability, probabilities } = await context.detectLanguage(audio).promise;
  equal(language, 'en', 'the language of the recording');
  check(probability > 0.5 && probability === probabilities[0].probability, `${probability}`);
  check(Math.abs(probabilities.reduce((sum, one) => sum + one.probability, 0) - 1) < 1e-3, 'probabilities sum to 1');
  await Promise.all([context.release(), vad.release()]);
});
