// Jobs queue in order and by priority; cancelling hits one job only; releasing waits for the one that runs.
run(async () => {
  const [context, second] = await Promise.all([wsp.openContext({ path: MODEL }), wsp.openContext({ path: MODEL })]);
  const samples = samplesOf(RECORDING);
  const expected = (await context.transcribe({ data: samples }).promise).text;

  // A hundred short ones, all queued while one is held inside the core, in order.
  const order = [];
  const short = { data: samples.slice(8000, 11200) };
  const quick = { audioCtx: 32, maxTokens: 2, temperatureInc: 0 };
  holdCore(1);
  const ahead = context.transcribe({ data: samples });
  await inside(1);
  const hundred = Array.from({ length: 100 }, (_, i) =>
    context.transcribe(short, quick).promise.then((result) => {
      check(!result.isCancelled && result.stats.nWindows >= 1, `job ${i} computed: ${JSON.stringify(result.stats)}`);
      order.push(i);
    }),
  );
  equal([context.nJobs, order], [101, []], 'all wait');
  holdCore(0);
  await Promise.all(hundred);
  equal(order, Array.from({ length: 100 }, (_, i) => i), 'the order of the calls');
  equal((await ahead.promise).text, expected, 'the one that was held');

  // By priority, behind the one that runs.
  const ran = [];
  const start = (name, priority) => context.transcribe(short, { ...quick, priority }).promise.then(() => ran.push(name));
  holdCore(1);
  const running = context.transcribe({ data: samples }, { priority: 'low' }).promise.then(() => ran.push('running'));
  await inside(1);
  const others = [start('low', 'low'), start('normal', 'normal'), start('high', 'high'), start('second', 'normal')];
  holdCore(0);
  await Promise.all([running, ...others]);
  equal(ran, ['running', 'high', 'normal', 'second', 'low'], 'priorities');

  // Two contexts at the same time.
  holdCore(1);
  const two = [context, second].map((one) => one.transcribe({ data: samples }).promise);
  // Each waits in the core's work until it is let go, so that both are there or this never ends.
  await inside(2);
  const sleeper = context.transcribe({ data: samples }).promise;
  holdCore(0);
  const both = await Promise.all([...two, sleeper]);
  equal(both.map((one) => one.text), [expected, expected, expected], 'two contexts');
  equal([probe().inside, probe().mostInside], [0, 2], 'one job of a context at a time');

  // Cancelling: the one that runs, one that waits, one that has ended.
  const long = new Float32Array(60 * 16000);
  for (let i = 0; i < long.length; i++) long[i] = samples[i % samples.length];
  holdCore(500);
  const [runs, waits, goesOn] = [{ data: long }, { data: long }, { data: samples }].map((audio) => context.transcribe(audio));
  equal(new Set([runs.id, waits.id, goesOn.id]).size, 3, 'ids differ');
  await inside(1);
  while (probe().asked !== 500) await pause(1);
  waits.cancel();
  // It returns while the core is held, so that it does not wait for it.
  runs.cancel();
  const never = await waits.promise;
  equal([probe().inside, context.nJobs], [1, 2], 'what waited has ended while the other is held');
  holdCore(0);
  const [cut, whole] = await Promise.all([runs.promise, goesOn.promise]);
  equal([cut.isCancelled, never.isCancelled, whole.isCancelled], [true, true, false], 'only those');
  check(probe().askedAfterStop <= 1, `the core stopped within one operation: ${JSON.stringify(probe())}`);
  equal([never.text, never.segments], ['', []], 'what waited has no text');
  equal(whole.text, expected, 'the next job is whole');
  runs.cancel();
  goesOn.cancel();
  equal((await context.transcribe({ data: samples }).promise).text, expected, 'late cancels do nothing');

  // An error of the listener ends its job and comes out of it.
  const thrown = new Error('of the listener');
  const job = context.transcribe({ data: long }, {}, () => {
    throw thrown;
  });
  check((await failure(() => job.promise)) === thrown, 'the very error');

  // Releasing: the one that runs ends, the others are refused, and so are later calls.
  holdCore(1);
  const last = context.transcribe({ data: samples });
  const late = context.transcribe({ data: samples });
  await inside(1);
  let isFreed = false;
  const release = context.release().then(() => (isFreed = true));
  equal(context.isReleased, true, 'released at once');
  await refused(() => context.transcribe({ data: samples }), 'released');
  await refused(() => context.tokenize('a'), 'released');
  await refused(() => context.detectLanguage({ data: samples }), 'released');
  await refused(() => context.bench(), 'released');
  await refused(() => late.promise, 'released');
  equal([isFreed, context.nJobs], [false, 1], 'the one that runs is waited for');
  holdCore(0);
  equal((await last.promise).text, expected, 'the one that ran is whole');
  await release;
  await context.release();
  equal(context.nJobs, 0, 'nothing is left');
  equal((await second.transcribe({ data: samples }).promise).text, expected, 'the other context lives');
  await second.release();
});
