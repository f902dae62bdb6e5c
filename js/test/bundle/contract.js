// Entry of a bundle that meets a native part of another version, in the host of cpp/jsi/host on its recording core.
import './host_modules.js';
import { initWhisper, loadModel, systemInfo, WspError } from 'wsp.rn';

/** What a call gives, or throws, in a line. */
async function told(call) {
  try {
    return ['a value', await call()];
  } catch (error) {
    return [error instanceof WspError ? error.code : `no WspError: ${error}`, error.field ?? null, error.message];
  }
}

async function main() {
  const answer = {
    loaded: await told(async () => (await loadModel('/model')).release()),
    whisperRn: await told(async () => (await initWhisper({ filePath: '/model' })).release()),
    system: await told(() => systemInfo().version),
  };
  if (answer.loaded[0] === 'a value') {
    const context = await loadModel('/model');
    const audio = new Float32Array(3200);
    answer.text = await told(async () => (await context.transcribe(audio, { language: 'en', words: true }).promise).text);
    answer.option = await told(() => context.transcribe(audio, { audioCtx: 100 }).promise);
    answer.method = await told(() => context.bench().promise);
    answer.after = await told(async () => (await context.transcribe(audio).promise).isCancelled);
    await context.release();
  }
  return answer;
}

main().then(
  (answer) => {
    globalThis.print(JSON.stringify(answer));
    globalThis.exit(0);
  },
  (error) => {
    globalThis.print(`failed: ${error.message}\n${error.stack}`);
    globalThis.exit(1);
  },
);
