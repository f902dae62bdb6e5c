// Entry of a bundle that runs both programs on the mock, in an engine that has nothing but the language and print.
import 'wsp.rn/jest-mock';
import { ourProgram } from './ours.js';
import { readmeProgram } from './readme.js';

const files = { model: 'file:///model.bin', audio: 'file:///speech.wav', vadModel: '/vad.bin' };

async function main() {
  return { readme: await readmeProgram(files), ours: await ourProgram(files) };
}

main().then(
  (answer) => globalThis.print(JSON.stringify(answer)),
  (error) => globalThis.print(`failed: ${error.stack}`),
);
