// Jobs queue in order and by priority; cancelling hits one job only; releasing waits for the one that runs.
run(async () => {
  const [context, second] = await Promise.all([wsp.openContext({ path: MODEL }), wsp.openContext({ path: MODEL })]);
  const samples = samplesOf(RECORDING);
  const expected = (await context.transcribe({ data: samples }).promise).text;

  // A hundred short ones, in order.
  const order = [];
  const silence = { data: new Float32Array(1000) };
  const hundred = Array.from({ length: 100 }, (_, i) =>
    context.transcribe(silence).promise.then(() => order.push(i)),
  );
  await Promise.all(hundred);
  equal(order, Array.from({ length: 100 }, (_, i) => i), 'the order of the calls');

  // By priority, behind the one that runs.
  const ran = [];
  const start = (name, priority) => context.transcribe(silence, { priority }).promise.then(() => ran.push(name));
  const running = context.transcribe({ data: samples });
  await pause(30);
  await Promise.all([start('low', 'low'), start('normal', 'normal'), start('high', 'high'), start('second', 'normal')]);
  equal(ran, ['high', 'normal', 'second', 'low'], 'priorities');
  await running.promise;

  // Two contexts at the same time.
  const both = await Promise.all([context, second].map((one) => one.transcribe({ data: samples }).promise));
  equal(both.map((one) => one.text), [expected, expected], 'two contexts');

  // Cancelling: the one that runs, one that waits, one that has ended.
  const long = new Float32Array(60 * 16000);
  for (let i = 0; i < long.length; i++) long[i] = samples[i % samples.length];
  const [runs, waits, goesOn] = [{ data: long }, { data: long }, { data: samples }].map((audio) => context.transcribe(audio));
  equal(new Set([runs.id, waits.id, goesOn.id]).size, 3, 'ids differ');
  await pause(100);
  const before = Date.now();
  waits.cancel();
  runs.cancel();
  check(Date.now() - before < 50, 'cancel returns at once');
  const [cut, never, whole] = await Promise.all([runs.promise, waits.promise, goesOn.promise]);
  equal([cut.isCancelled, never.isCancelled, whole.isCancelled], [true, true, false], 'only those');
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
  const last = context.transcribe({ data: samples });
  const late = context.transcribe({ data: samples });
  await pause(30);
  const release = context.release();
  equal(context.isReleased, true, 'released at once');
  await refused(() => context.transcribe({ data: samples }), 'released');
  await refused(() => context.tokenize('a'), 'released');
  await refused(() => late.promise, 'released');
  equal((await last.promise).text, expected, 'the one that ran is whole');
  await release;
  await context.release();
  equal(context.nJobs, 0, 'nothing is left');
  equal((await second.transcribe({ data: samples }).promise).text, expected, 'the other context lives');
  await second.release();
});
