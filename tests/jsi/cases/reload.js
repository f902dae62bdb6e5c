// Ends the runtime while jobs run and events come; the next script finds everything in order.
const NEXT = args[3];
run(async () => {
  const context = await wsp.openContext({ path: MODEL });
  const samples = samplesOf(RECORDING);
  const long = new Float32Array(60 * 16000);
  for (let i = 0; i < long.length; i++) long[i] = samples[i % samples.length];
  wsp.setLog('debug', () => {});
  context.transcribe({ data: long }, { tokens: true }, () => reload(NEXT));
  context.transcribe({ data: long });
  wsp.openContext({ path: MODEL });
  wsp.openVad({ path: VAD_MODEL });
  wsp.estimateMemory(MODEL);
  await pause(60000);
  throw new Error('no event came');
});
