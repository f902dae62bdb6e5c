// Where somebody speaks, alone and before a transcription; the speed of a model; the log.
run(async () => {
  const lines = [];
  wsp.setLog('info', (level, text) => lines.push([level, text]));
  const vad = await wsp.openVad({ path: VAD_MODEL });
  const found = await vad.detect({ path: RECORDING }, { probabilities: true }).promise;
  check(found.segments.length > 0 && found.segments[0].startS < found.segments[0].endS, JSON.stringify(found.segments));
  equal(found.probabilities.length, Math.ceil((found.durationS * 16000) / 512), 'one probability a window');
  const silence = await vad.detect({ data: new Float32Array(16000) }).promise;
  equal([silence.segments, 'probabilities' in silence], [[], false], 'silence');
  await refused(() => vad.detect({ path: RECORDING }, { threshold: 2 }), 'invalid_argument', 'options.threshold');
  await refused(() => vad.detect({ path: RECORDING }, { language: 'en' }), 'unknown_option', 'options.language');

  // Cancelled inside the network's work.
  holdCore(2);
  const stopped = vad.detect({ path: RECORDING });
  await inside(1);
  while (probe().asked < 2) await pause(1);
  stopped.cancel();
  holdCore(0);
  const { isCancelled, segments } = await stopped.promise;
  equal([isCancelled, segments, probe().asked, probe().askedAfterStop], [true, [], 2, 0], 'detection stops');

  const context = await wsp.openContext({ path: MODEL });
  const result = await context.transcribe({ path: RECORDING }, { vad: true, vadModelPath: VAD_MODEL }).promise;
  check(result.speech.length > 0 && result.text.length > 10, JSON.stringify(result.speech));
  await Promise.all([vad.release(), context.release()]);
  await refused(() => vad.detect({ path: RECORDING }), 'released');
  await pause(20);
  check(lines.length > 0 && lines.every(([level]) => ['error', 'warn', 'info'].includes(level)), JSON.stringify(lines));
  wsp.setLog('off');
  const n = lines.length;
  await (await wsp.openVad({ path: VAD_MODEL })).release();
  await pause(20);
  equal(lines.length, n, 'nobody listens any more');
});
