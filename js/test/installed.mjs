// The installed package on a native module in JavaScript. A test file imports this first; each runs in a process of its own.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const inside = (path) => require(join(dirname(require.resolve('wsp.rn/package.json')), 'lib', 'cjs', path));

export const { createNative } = inside('mock/native.js');
export const { nativeError } = inside('mock/queue.js');
export const { DEFAULT_SCRIPT } = inside('mock/script.js');
export const keys = inside('mock/generated/keys.js');
export const defaults = inside('src/generated/defaults.js');
export const compat = inside('src/whisper_rn/options.js');
export { require };

/** What the mock answers; tests change it. */
export const script = {};
/** Calls of native methods, in order: [name, ...arguments]. */
export const calls = [];

function recorded(method) {
  return (...given) => {
    calls.push(given);
    return method(...given);
  };
}

globalThis.nativeModules = { Wsp: createNative(script, recorded) };

/** The package as `import` gives it. */
export const wsp = await import('wsp.rn');

/** A segment of one word. */
export function segment(text, startS, endS, more = {}) {
  return { ...DEFAULT_SCRIPT.segments[0], text, startS, endS, words: [{ text, startS, endS, probability: 0.5 }], ...more };
}

/** A step that waits until it is let on. */
export function gate() {
  const waiting = [];
  let isOpen = false;
  return {
    step: () => (isOpen ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    /** Lets the step that waits go on; waits for one if there is none yet. */
    async pass() {
      while (waiting.length === 0) {
        await turn();
      }
      waiting.shift()();
      await turn();
    },
    open() {
      isOpen = true;
      waiting.splice(0).forEach((go) => go());
    },
  };
}

/** Lets everything that is ready run. */
export function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

/** A script for one test: put back by the runner's `afterEach`. */
export function reset() {
  for (const key of Object.keys(script)) {
    delete script[key];
  }
  calls.length = 0;
}
