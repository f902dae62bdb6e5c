// Tries to break the native module from JavaScript: whatever a script does, it gets a value or an error, and the module works
// afterwards. On the recording core. No bigint, at which React Native 0.76's runtime on this engine ends the program.
const audio = () => ({ data: new Float32Array(1600) });
const thrown = new Error('thrown by the script');
const raise = () => {
  throw thrown;
};

/** Calls and waits; whatever comes is taken, as long as it is a value or an error of JavaScript. Gives the code of a typed error. */
async function survives(call) {
  try {
    const value = call();
    await (value && value.promise ? value.promise : value);
    return 'a value';
  } catch (error) {
    return error instanceof Error && error.name === 'WspError' ? error.code : 'an error';
  }
}

/** Objects that do something when they are looked at. */
function traps(context) {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const cyclic = {};
  cyclic.vadOptions = cyclic;
  const handlers = ['get', 'has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf'];
  return [
    ...handlers.map((name) => new Proxy({}, { [name]: raise })),
    new Proxy({}, { ownKeys: () => ['language', 'nonsense'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) }),
    new Proxy([], { get: (_target, name) => (name === 'length' ? 2 ** 32 - 1 : 1) }),
    new Proxy(() => 1, {}),
    revoked.proxy,
    cyclic,
    { get language() { throw thrown; } },
    { get language() { throw null; } },
    { get language() { throw Symbol('s'); } },
    { language: { toString: raise, valueOf: raise } },
    { [Symbol('s')]: 1 },
    { ['language\0x']: 'de' },
    { ['x'.repeat(1 << 20)]: 1 },
    { ['\ud800']: 1 },
    Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key${i}`, i])),
    Object.freeze({ language: 'en' }),
    Object.create({ language: 'en', nonsense: 1 }),
    { promptTokens: new Array(2 ** 32 - 1) },
    { promptTokens: new Proxy([], { get: (target, name) => (name === 'length' ? 1e300 : 1) }) },
    { promptTokens: new Proxy([], { get: (target, name) => (name === 'length' ? -1 : 1) }) },
    { promptTokens: new Proxy([], { get: (target, name) => (name === 'length' ? 'many' : 1) }) },
    { promptTokens: new Proxy([], { get: (target, name) => (name === 'length' ? NaN : 1) }) },
    { promptTokens: [, 1] },
    { languageCandidates: new Array(1e6).fill('de') },
    { initialPrompt: 'x'.repeat(1 << 20) },
    { grammar: '('.repeat(1 << 16) },
    { suppressRegex: '('.repeat(1 << 16) },
    context,
    wsp,
    globalThis,
    new Date(NaN),
    new (class extends Float32Array {})(3),
    Symbol('s'),
    -0,
    NaN,
    -Infinity,
    2 ** 53,
    1e308,
    'a\0b',
    '\ud800',
  ];
}

/** What claims to be audio or a model. */
function buffers() {
  const like = (buffer, byteOffset, byteLength, tag) => ({ buffer, byteOffset, byteLength, [Symbol.toStringTag]: tag });
  const some = new ArrayBuffer(64);
  const moved = new Float32Array(16);
  if (moved.buffer.transfer) moved.buffer.transfer();
  const growable = new ArrayBuffer(64, { maxByteLength: 128 });
  const tracking = new Float32Array(growable);
  const shrinking = new ArrayBuffer(64, { maxByteLength: 64 });
  const shrinks = () => shrinking.resizable && shrinking.resize(0);
  return [
    moved,
    moved.buffer,
    tracking,
    growable,
    ...(typeof SharedArrayBuffer === 'function' ? [new SharedArrayBuffer(64), new Float32Array(new SharedArrayBuffer(64))] : []),
    like(some, 0, 2 ** 31, 'Float32Array'),
    like(some, 0, 2 ** 53, 'Float32Array'),
    like(some, 2 ** 53, 1, 'Float32Array'),
    like(some, -8, 16, 'Int16Array'),
    like(some, 60, 8, 'Int16Array'),
    like(some, NaN, NaN, 'Int16Array'),
    like(some, Infinity, -Infinity, 'Int16Array'),
    like(some, 1, 62, 'Float32Array'),
    like(some, 0.5, 6.5, 'Int16Array'),
    like(some, '0', '64', 'Int16Array'),
    like({}, 0, 64, 'Int16Array'),
    like(new Proxy(some, {}), 0, 64, 'Int16Array'),
    { buffer: some, byteOffset: 0, byteLength: 64, get [Symbol.toStringTag]() { throw thrown; } },
    // It shrinks while it is looked at, after its size was told.
    { buffer: shrinking, byteOffset: 0, byteLength: 64, get [Symbol.toStringTag]() { shrinks(); return 'Int16Array'; } },
    { get buffer() { throw thrown; } },
    new DataView(some, 3, 5),
    new Float64Array(4),
    new Array(1000).fill(0),
    { length: 5, 0: 1 },
  ];
}

run(async () => {
  const open = () => wsp.openContext({ path: 'model' });
  const context = await open();
  const vad = await wsp.openVad({ path: 'model' });
  const works = async (where) => {
    const { text } = await context.transcribe(audio()).promise;
    equal(text, ' first second \ufffd\ufffd', where);
  };

  // Everything odd in every place of every method.
  const codes = {};
  const count = (code) => (codes[code] = (codes[code] ?? 0) + 1);
  for (const one of traps(context)) {
    const options = [() => context.transcribe(audio(), one), () => context.detectLanguage(audio(), one), () => context.bench(one),
      () => vad.detect(audio(), one), () => wsp.openContext({ path: 'model' }, one)];
    const wholes = [() => context.transcribe(one), () => context.detectLanguage(one), () => vad.detect(one), () => wsp.openContext(one),
      () => wsp.openVad(one), () => wsp.estimateMemory(one), () => context.tokenize(one), () => wsp.setLog(one), () => wsp.setLog('error', one),
      () => context.transcribe(audio(), {}, one)];
    const fields = [() => context.transcribe({ path: one }), () => context.transcribe({ base64: one }), () => context.transcribe({ data: one }),
      () => context.transcribe({ ...audio(), channels: one }), () => context.transcribe({ ...audio(), sampleRateHz: one }),
      () => context.transcribe({ ...audio(), format: one }), () => context.transcribe(audio(), { seed: one }),
      () => context.transcribe(audio(), { vadOptions: one }), () => context.transcribe(audio(), { promptTokens: [one] }),
      () => context.transcribe(audio(), { languageCandidates: [one] })];
    for (const call of [...options, ...wholes, ...fields]) count(await survives(call));
  }
  for (const data of buffers()) {
    for (const format of [undefined, 'float32', 'int16', 'wav']) {
      count(await survives(() => context.transcribe({ data, format })));
      count(await survives(() => vad.detect({ data, format, channels: 2 })));
    }
    count(await survives(() => wsp.openContext({ data })));
    count(await survives(() => wsp.openVad({ data })));
  }
  // A getter that calls what is reading it, until the stack ends.
  const again = { get language() { return context.transcribe(audio(), again); } };
  equal(await survives(() => context.transcribe(audio(), again)), 'an error', 'endless calls');
  check(codes.invalid_argument > 500 && codes['an error'] > 50 && codes['a value'] > 50, JSON.stringify(codes));
  wsp.setLog('off');
  await works('after odd arguments');

  // Methods without their object, with another, as constructors; the objects themselves.
  const { transcribe, release, tokenize } = context;
  equal((await transcribe(audio()).promise).isCancelled, false, 'a method keeps its object');
  for (const self of [undefined, null, 5, {}, vad, wsp, new Proxy(context, {})]) {
    equal(tokenize.call(self, 'ab'), [0, 1], 'whatever this is');
  }
  await survives(() => new context.transcribe(audio()));
  await survives(() => Reflect.construct(tokenize, ['ab'], Promise));
  await survives(() => Object.setPrototypeOf(context, null));
  await survives(() => Object.defineProperty(context, 'transcribe', { value: 1 }));
  await survives(() => Object.freeze(context));
  await survives(() => { 'use strict'; context.transcribe = 1; });
  await survives(() => { 'use strict'; delete context.transcribe; });
  await survives(() => structuredClone(context));
  equal([context.nonsense, context[Symbol.iterator], 'info' in context], [undefined, undefined, true], 'properties');
  check(JSON.stringify(context).includes('info') && Object.keys(context).includes('transcribe'), 'it can be looked at');
  await works('after its objects were bent');

  // Listeners that throw anything, release, cancel and call back in.
  for (const what of [thrown, null, undefined, 5, 'text', Symbol('s'), {}, new Proxy({}, { get: raise })]) {
    let found = 'nothing';
    await context.transcribe(audio(), {}, () => { throw what; }).promise.then(() => {}, (error) => {
      found = error;
    });
    check(found === what, `a listener's ${String(typeof what)} comes out`);
  }
  const inner = await open();
  let job = null;
  const results = [];
  job = inner.transcribe(audio(), {}, (event) => {
    if (results.length > 3) return;
    results.push(inner.transcribe(audio(), {}, () => job.cancel()).promise);
    job.cancel();
  });
  await job.promise;
  await Promise.all(results);
  check(results.length > 0, 'a listener calls back in');
  const ended = await open();
  let released = null;
  const last = ended.transcribe(audio(), {}, () => {
    released = ended.release();
    failure(() => ended.transcribe(audio()));
  });
  equal((await last.promise).isCancelled, false, 'a listener releases its own context');
  await released;
  wsp.setLog('debug', () => wsp.setLog('debug', raise));
  await works('after listeners');
  wsp.setLog('off');
  await Promise.all(Array.from({ length: 50 }, () => inner.release()));

  // Options whose getter releases the context, or cancels, while they are read.
  const bent = await open();
  await refused(() => bent.transcribe(audio(), { get language() { bent.release(); return 'en'; } }), 'released');

  // Many at once, dropped, never waited for.
  for (let i = 0; i < 2000; i++) {
    context.transcribe(audio());
    failure(() => context.transcribe({ base64: '*' }).promise);
    if (i % 2) context.transcribe(audio()).cancel();
  }
  for (let i = 0; i < 300; i++) wsp.openContext({ path: 'model' });
  const many = await Promise.all(Array.from({ length: 300 }, open));
  many.forEach((one, i) => {
    one.transcribe(audio(), {}, () => {});
    if (i % 3) one.release();
  });
  many.length = 0;
  await works('after thousands of jobs and hundreds of contexts');

  // Globals that are not the engine's any more.
  const { Error: engineError, Promise: enginePromise, Object: engineObject } = globalThis;
  const calls = () => [() => context.tokenize(5), () => context.transcribe(audio()), () => wsp.openContext({ path: 'model' }),
    () => wsp.estimateMemory(5), () => context.transcribe({ data: new DataView(new ArrayBuffer(4)), format: 'int16' }),
    () => context.transcribe(audio(), {}, () => { throw 1; })];
  const fakes = {
    Error: [undefined, 5, raise, function () { return null; }],
    Promise: [undefined, raise, function () {}, function (executor) { executor(); }, function (executor) { executor(1, 2); },
      function (executor) { globalThis.keptExecutor = executor; return {}; },
      function (executor) { executor(raise, raise); executor(() => {}, () => {}); }],
    Object: [undefined, {}, { prototype: null }, { prototype: { toString: raise } }],
  };
  for (const [name, values] of engineObject.entries(fakes)) {
    for (const value of values) {
      for (const call of calls()) {
        globalThis[name] = value;
        try {
          call();
        } catch {
          // Any error is allowed.
        } finally {
          globalThis.Error = engineError;
          globalThis.Promise = enginePromise;
          globalThis.Object = engineObject;
        }
      }
    }
  }
  // What settles while there is no Error.
  globalThis.Error = undefined;
  context.transcribe(audio(), {}, () => { throw null; });
  context.transcribe({ base64: '*' });
  for (let i = 0; i < 20; i++) await pause(1);
  globalThis.Error = engineError;
  globalThis.keptExecutor(() => {}, () => {});
  await works('after its globals were taken away');
  await Promise.all([context.release(), vad.release()]);
});
