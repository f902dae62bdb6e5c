// Runs in the runtime that follows a reload: the core works, and the log and jobs of the former runtime are gone.
run(async () => {
  holdCore(0);
  const context = await wsp.openContext({ path: MODEL });
  const result = await context.transcribe({ path: RECORDING }).promise;
  check(result.text.length > 10 && !result.isCancelled, result.text);
  await context.release();
});
