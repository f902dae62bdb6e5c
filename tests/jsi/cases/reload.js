// Ends the runtime while jobs run and events come; the next script finds everything in order.
const NEXT = args[3];
run(async () => {
  const context = await wsp.openContext({ path: MODEL });
  const samples = samplesOf(RECORDING);
  const long = new Float32Array(60 * 16000);
  for (let i = 0; i < long.length; i++) long[i] = samples[i % samples.length];
  wsp.setLog('debug', () => {});
  // Two contexts are inside the core and held there when the runtime ends; they have more to do, and one is being released.
  const other = await wsp.openContext({ path: MODEL });
  holdCore(1);
  for (let i = 0; i < 10; i++) other.transcribe({ data: long }, {}, () => {});
  await inside(1);
  other.release();
  holdCore(0);
  context.transcribe({ data: long }, { tokens: true }, () => {
    holdCore(1);
    reload(NEXT);
  });
  context.transcribe({ data: long });
  wsp.openContext({ path: MODEL });
  wsp.openVad({ path: VAD_MODEL });
  wsp.estimateMemory(MODEL);
  // The event ends this runtime.
  await new Promise(() => {});
});
