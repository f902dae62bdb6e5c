// The mock has exactly the API's keys: of the package, and of each native object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNative, keys, require, wsp } from './installed.mjs';

function all({ properties, methods, promises }) {
  return [...properties, ...methods, ...promises].sort();
}

test('the mock exports what the package exports, and no more', async () => {
  const imported = Object.keys(await import('wsp.rn/jest-mock')).filter((key) => key !== 'default' && key !== 'module.exports');
  assert.deepEqual(imported.sort(), Object.keys(wsp).filter((key) => key !== 'default' && key !== 'module.exports').sort());
  assert.deepEqual(Object.keys(require('wsp.rn/jest-mock')).sort(), Object.keys(require('wsp.rn')).sort());
});

test('native objects of the mock have the keys of the spec, and no other', async () => {
  const native = createNative();
  const context = await native.openContext({ path: '/m' });
  const job = context.transcribe({ path: '/a.wav' });
  const vad = await native.openVad({ path: '/v' });
  assert.deepEqual(Object.keys(native).sort(), all(keys.MODULE_KEYS));
  assert.deepEqual(Object.keys(context).sort(), all(keys.CONTEXT_KEYS));
  assert.deepEqual(Object.keys(vad).sort(), all(keys.VAD_KEYS));
  assert.deepEqual(Object.keys(job).sort(), all(keys.JOB_KEYS));
});

test('methods give promises where the spec says so', async () => {
  const native = createNative();
  const context = await native.openContext({ path: '/m' });
  const vad = await native.openVad({ path: '/v' });
  assert.ok(native.openContext({ path: '/m' }) instanceof Promise);
  assert.ok(native.estimateMemory('/m') instanceof Promise);
  assert.ok(context.release() instanceof Promise && context.release() === context.release());
  assert.ok(vad.release() instanceof Promise);
});
