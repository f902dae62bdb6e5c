// What every case uses: the native module, assertions, and a frame that ends the host with an exit code. It runs in the host of
// cpp/jsi/host, which has print, setTimeout, sleep, readFile, args, exit, reload, and holdCore; args are model, recording, VAD model.
'use strict';

const wsp = globalThis.nativeModuleProxy ? globalThis.nativeModuleProxy.Wsp : globalThis.__turboModuleProxy('Wsp');
const [MODEL, RECORDING, VAD_MODEL] = args;

function check(condition, message) {
  if (!condition) throw new Error(`check failed: ${message}`);
}

function equal(found, expected, message) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${message}: found ${a}, expected ${b}`);
}

/** What a call throws, or its promise rejects with; an error if it does neither. */
async function failure(call) {
  let value;
  try {
    value = await call();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was thrown, but ${JSON.stringify(value)} came`);
}

/** Checks that a call fails with a typed error of this code and field. */
async function refused(call, code, field) {
  const error = await failure(call);
  check(error instanceof Error, `${error} is no Error`);
  equal([error.name, error.code, error.field], ['WspError', code, field], error.message);
  return error;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What the probe in front of the core counts; see cpp/jsi/host/core_probe.h. */
const probe = () => JSON.parse(probed());

/** Waits until n calls are inside the core, where holdCore holds them. What never comes is ended by the test's own limit. */
async function inside(n) {
  while (probe().inside !== n) await pause(1);
}

/** The samples of a PCM WAV file of 16 bits, as a Float32Array of its own. */
function samplesOf(path) {
  const view = new DataView(readFile(path));
  let at = 12;
  while (view.getUint32(at, false) !== 0x64617461) at += 8 + view.getUint32(at + 4, true);
  const n = view.getUint32(at + 4, true) / 2;
  const samples = new Float32Array(n);
  for (let i = 0; i < n; i++) samples[i] = view.getInt16(at + 8 + 2 * i, true) / 32768;
  return samples;
}

/** Runs a case to its end. */
function run(body) {
  body().then(
    () => exit(0),
    (error) => {
      holdCore(0);
      print(`FAILED: ${error && error.stack ? `${error.message}\n${error.stack}` : error}`);
      exit(1);
    },
  );
}
