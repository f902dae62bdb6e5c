// Entry of a bundle that runs all programs on the real native part, in the host of cpp/jsi/host: args are the paths of model,
// recording and voice activity model.
import './host_modules.js';
import { ourProgram } from './ours.js';
import { readmeProgram } from './readme.js';
import { realProgram } from './real.js';

const [model, audio, vadModel] = globalThis.args;

async function main() {
  const files = { model: `file://${model}`, audio: `file://${audio}`, vadModel };
  return { readme: await readmeProgram(files), ours: await ourProgram(files), real: await realProgram({ model, audio, vadModel }) };
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
