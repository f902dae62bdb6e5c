// The package where the native module is missing, or of another contract: importing never throws, calling says what to do.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The answer of a program in a process of its own, where nothing is installed before. */
function run(program) {
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: HERE, encoding: 'utf8' }));
}

const TELL = `
const wsp = await import('wsp.rn');
const told = async (work) => { try { await work(); return 'none'; } catch (error) { return [error instanceof wsp.WspError, error.code, error.message]; } };
console.log(JSON.stringify([await told(() => wsp.loadModel('/m')), await told(() => wsp.initWhisper({ filePath: '/m' })), await told(() => wsp.installJsi()), wsp.libVersion, await told(() => wsp.releaseAllWhisper())]));
`;

test('without the native module each call says that the app must be rebuilt', () => {
  const [load, init, install, version, release] = run(TELL);
  for (const [isTyped, code, message] of [load, init, install]) {
    assert.deepEqual([isTyped, code], [true, 'not_linked']);
    assert.match(message, /Rebuild the app.*Expo Go/);
  }
  assert.deepEqual([version, release], ['', 'none']);
});

for (const [major, what] of [[0, /older wsp\.rn: rebuild/], [2, /newer wsp\.rn than its JavaScript/]]) {
  test(`a native part of contract ${major} is refused with what to rebuild`, () => {
    const native = `globalThis.nativeModules = { Wsp: { contract: () => ({ major: ${major}, minor: 7 }) } };`;
    const [load, init] = run(native + TELL);
    for (const [isTyped, code, message] of [load, init]) {
      assert.deepEqual([isTyped, code], [true, 'contract_mismatch']);
      assert.match(message, what);
    }
  });
}

test('a native part of an older or newer minor is taken', () => {
  const native = (minor) => `
    import { createRequire } from 'node:module';
    import { dirname } from 'node:path';
    const require = createRequire(process.cwd() + '/');
    const { createNative } = require(dirname(require.resolve('wsp.rn/package.json')) + '/lib/cjs/mock/native.js');
    globalThis.nativeModules = { Wsp: createNative({ contract: { major: 1, minor: ${minor} } }) };`;
  for (const minor of [0, 99]) {
    const [load, init, install, version] = run(native(minor) + TELL);
    assert.deepEqual([load, init, install, version], ['none', 'none', 'none', '1.9.1']);
  }
});
