// Random arguments for every method: what the description of the surface allows works, anything else is a typed error that names
// one of the fields that are wrong. Arguments: the surface as JSON, how many sets per method, a seed; on the recording core. With
// model, recording, voice activity model, and a model of many languages besides, on the real one, with 200 ms of audio: what is
// allowed may still be refused there, such as a language that does not exist, by a typed error that names a field.
//
// What only takes time is bounded on the real core, since the recording one is given all of it: threads and parts beyond a few,
// and of measurements, which do the same whatever they are given, each tenth runs to its end and the others are cancelled.
const surface = JSON.parse(String.fromCharCode.apply(null, new Uint8Array(readFile(args[0]))));
const N = Number(args[1]);
let state = Number(args[2]) >>> 0;
const IS_REAL = args.length > 3;
const [REAL_MODEL, REAL_RECORDING, REAL_VAD, REAL_LANGUAGES] = args.slice(3);
const FEW = { nThreads: 4, nParts: 3 };
const SPEECH = IS_REAL ? samplesOf(REAL_RECORDING).slice(16000, 19200) : null;

// mulberry32.
function random() {
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const chance = (p) => random() < p;

const TEXTS = ['', 'a', 'größer', '日本語', '👩‍🚀', 'x'.repeat(3000), '%s%n', '"\\', '../..', '\u0001'];
// No lone surrogates, which engines replace or lose before a module sees the text, and no bigint, at which React Native 0.76's
// runtime on this engine ends the program, whoever is given one.
const ODD = [null, true, 5, NaN, Infinity, -1e300, '', 'text', 'a\0b', {}, [], [1], [{}], () => 1, Symbol('s'),
  new Date(0), /a/, new Map(), new ArrayBuffer(3), new Uint8Array(2), new Proxy({}, {}), Object.create(null)];

/** {value, wrong}: wrong holds the paths that may be named; empty if the value is allowed. */
const good = (value) => ({ value, wrong: [] });
const bad = (value, path) => ({ value, wrong: [path] });

function number(field, path) {
  const whole = field.kind !== 'float';
  const limit = whole ? (field.kind === 'int' ? 2 ** 31 : 2 ** 53) : 3e38;
  const low = field.minimum === null ? -limit : field.minimum;
  const high = field.maximum === null ? (whole ? limit - 1 : limit) : field.maximum;
  const allowed = (value) =>
    field.special.includes(value) ||
    ((field.minimumExclusive ? value > low : value >= low) && (field.maximumExclusive ? value < high : value <= high));
  const choices = [low, high, low - 1, high + 1, (low + high) / 2, 0, -1, 1, 0.5, field.default, ...field.special];
  let value = chance(0.5) ? pick(choices) : low + random() * Math.min(high - low, 1e6);
  if (value === null) value = low;
  if (whole && chance(0.9)) value = Math.round(value);
  if (whole && !Number.isInteger(value)) return bad(value, path);
  if (whole && !Number.isSafeInteger(value) && !allowed(value)) return bad(value, path);
  if (!allowed(value)) return bad(value, path);
  return good(IS_REAL && value > FEW[field.name] ? 1 + below(FEW[field.name]) : value);
}

/** An odd value for a kind that does not take it. */
function odd(field, path) {
  for (;;) {
    const value = pick(ODD);
    const isText = typeof value === 'string';
    const fits = {
      bool: typeof value === 'boolean',
      string: isText && !/\0/.test(value),
      path: isText && !/\0/.test(value),
      bytes: value instanceof ArrayBuffer || ArrayBuffer.isView(value),
      names: Array.isArray(value) && value.length === 0,
      tokens: Array.isArray(value) && (value.length === 0 || value[0] === 1),
      options: typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ArrayBuffer) && !ArrayBuffer.isView(value),
      enum: false,
    }[field.kind];
    const isNumber = ['int', 'uint64', 'float'].includes(field.kind) && typeof value === 'number';
    if (!fits && !isNumber) return bad(value, path);
  }
}

function bytes() {
  if (IS_REAL) {
    const samples = chance(0.5) ? SPEECH.slice() : Int16Array.from(SPEECH, (one) => 32767 * one);
    const own = samples instanceof Float32Array ? 'float32' : 'int16';
    const view = pick([samples, samples.buffer, new Uint8Array(samples.buffer), new DataView(samples.buffer)]);
    return { value: view, format: view === samples ? own : null, size: samples.byteLength };
  }
  const n = 4 * below(50);
  const kind = below(5);
  if (kind === 0) return { value: new Float32Array(n), format: 'float32', size: 4 * n };
  if (kind === 1) return { value: new Int16Array(n), format: 'int16', size: 2 * n };
  if (kind === 2) return { value: new ArrayBuffer(n), format: null, size: n };
  if (kind === 3) return { value: new Uint8Array(new ArrayBuffer(n + 8), 3, n), format: null, size: n };
  return { value: new DataView(new ArrayBuffer(n)), format: null, size: n };
}

function value(field, path) {
  if (chance(0.06)) return odd(field, path);
  switch (field.kind) {
    case 'bool':
      return good(chance(0.5));
    case 'string':
    case 'path':
      if (IS_REAL && chance(0.8)) return good(path === 'audio.path' ? REAL_RECORDING : pick([REAL_MODEL, REAL_VAD]));
      return field.kind === 'path' && field.optional ? good(pick(TEXTS.slice(1))) : good(pick(TEXTS));
    case 'enum':
      return chance(0.1) ? bad(pick(['', 'none at all', 'LOW']), path) : good(pick(surface.enums[field.of]));
    case 'tokens': {
      const list = Array.from({ length: below(5) }, () => below(60000));
      if (list.length > 0 && chance(0.1)) {
        list[0] = pick([-1, 1.5, 'a', null, 2 ** 31]);
        return bad(list, `${path}[0]`);
      }
      return good(list);
    }
    case 'names': {
      const list = Array.from({ length: below(4) }, () => pick(TEXTS));
      if (list.length > 0 && chance(0.1)) {
        list[0] = pick([1, null, 'a\0', {}]);
        return bad(list, `${path}[0]`);
      }
      return good(list);
    }
    case 'options':
      return object(surface.groups[field.of], path);
    case 'bytes':
      return good(bytes().value);
    default:
      return number(field, path);
  }
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function object(struct, path) {
  const out = chance(0.1) ? Object.create(null) : {};
  const wrong = [];
  for (const field of struct.fields) {
    if (struct.oneOf.includes(field.name) || !chance(0.15)) continue;
    const made = value(field, `${path}.${field.name}`);
    out[field.name] = made.value;
    wrong.push(...made.wrong);
  }
  for (const field of struct.fields) {
    for (const other of field.excludes) {
      const beside = struct.fields.find((one) => one.name === other);
      const given = (one) => out[one.name] !== undefined && !same(out[one.name], one.default);
      if (given(field) && given(beside)) wrong.push(`${path}.${field.name}`);
    }
  }
  if (chance(0.04)) {
    const name = pick(['nonsense', 'beam_size', 'Language', '0', '__proto', 'toString']);
    out[name] = 1;
    wrong.push(`${path}.${name}`);
  }
  if (chance(0.05)) out.later = undefined;
  return { value: out, wrong };
}

/** One of its alternatives, or by mistake none or two. */
function oneOf(struct, made, path, give) {
  const chosen = struct.oneOf.filter(() => chance(0.08));
  if (chance(0.9)) chosen.splice(0, chosen.length, pick(struct.oneOf));
  for (const name of chosen) {
    const field = struct.fields.find((one) => one.name === name);
    const given = give(field, `${path}.${name}`);
    made.value[name] = given.value;
    made.wrong.push(...given.wrong);
  }
  if (chosen.length !== 1) made.wrong.push(path);
  return made;
}

function source() {
  const struct = surface.structs.source;
  return oneOf(struct, object(struct, 'source'), 'source', value);
}

/** Audio is more than its fields: bytes have to be whole frames of their format. */
function audio() {
  const struct = surface.structs.audio;
  const made = object(struct, 'audio');
  let data = null;
  oneOf(struct, made, 'audio', (field, path) => {
    if (field.name === 'base64') return chance(0.9) ? good(pick(['', 'AAAA', 'AAAAAAA=', 'AAAA\nAAAA'])) : bad('*', path);
    if (field.name !== 'data' || chance(0.05)) return value(field, path);
    data = bytes();
    return good(data.value);
  });
  const { format, channels } = made.value;
  if (made.wrong.length > 0) return { ...made, fuzzy: true };
  if (made.value.path !== undefined && format !== undefined && format !== 'wav') made.wrong.push('audio.format');
  const view = made.value.data;
  if (view !== undefined) {
    const own = view instanceof Float32Array ? 'float32' : view instanceof Int16Array ? 'int16' : null;
    const stated = own ?? format;
    if (stated === undefined || (own && format !== undefined && format !== own)) made.wrong.push('audio.format');
    const width = { float32: 4, int16: 2 }[stated];
    if (width && view.byteLength % (width * (channels ?? 1)) !== 0) made.wrong.push('audio.data');
  }
  if (made.value.base64 !== undefined && format && format !== 'wav') {
    const size = { '': 0, AAAA: 3, 'AAAAAAA=': 5, 'AAAA\nAAAA': 6 }[made.value.base64];
    if (size % ({ float32: 4, int16: 2 }[format] * (channels ?? 1)) !== 0) made.wrong.push('audio.base64');
  }
  return made;
}

/** A whole argument that may be absent. */
function optional(struct, path) {
  if (chance(0.1)) return good(undefined);
  if (chance(0.04)) return odd({ kind: 'options' }, path);
  return object(surface.structs[struct], path);
}

function needed(make, path) {
  return chance(0.04) ? bad(pick([undefined, null, 5, 'text', [], () => 1, new Uint8Array(2)]), path) : make();
}

function callback(path) {
  return chance(0.1) ? bad(pick([null, 5, {}, 'f']), path) : good(pick([undefined, () => {}]));
}

const text = (path, empty) => {
  if (IS_REAL && chance(0.5)) return good(REAL_MODEL);
  const chosen = pick([...TEXTS, 5, null, undefined, {}, 'a\0b']);
  const fits = typeof chosen === 'string' && !/\0/.test(chosen) && (empty || chosen !== '');
  return fits ? good(chosen) : bad(chosen, path);
};

run(async () => {
  const context = await wsp.openContext({ path: IS_REAL ? REAL_MODEL : 'model' });
  const multilingual = IS_REAL ? await wsp.openContext({ path: REAL_LANGUAGES }) : context;
  let nBenches = 0;
  const vad = await wsp.openVad({ path: IS_REAL ? REAL_VAD : 'model' });
  const methods = {
    estimateMemory: [(path) => wsp.estimateMemory(path), () => [text('path', false)]],
    openContext: [
      async (...given) => (await wsp.openContext(...given)).release(),
      () => [needed(source, 'source'), optional('context_options', 'options')],
    ],
    openVad: [async (...given) => (await wsp.openVad(...given)).release(), () => [needed(source, 'source')]],
    setLog: [
      (...given) => wsp.setLog(...given),
      () => [chance(0.5) ? good(pick(surface.enums.log_level)) : bad(pick([5, 'loud', null, undefined]), 'level'), callback('onLog')],
    ],
    transcribe: [
      (...given) => context.transcribe(...given).promise,
      () => [needed(audio, 'audio'), optional('transcribe_call', 'options'), callback('onEvent')],
    ],
    detectLanguage: [
      (...given) => multilingual.detectLanguage(...given).promise,
      () => [needed(audio, 'audio'), optional('language_call', 'options')],
    ],
    bench: [
      (...given) => {
        const job = context.bench(...given);
        if (IS_REAL && ++nBenches % 10 !== 1) job.cancel();
        return job.promise;
      },
      () => [optional('bench_call', 'options')],
    ],
    tokenize: [(one) => context.tokenize(one), () => [text('text', true)]],
    detect: [(...given) => vad.detect(...given).promise, () => [needed(audio, 'audio'), optional('vad_call', 'options')]],
  };
  const counts = {};
  for (const [name, [call, make]] of Object.entries(methods)) {
    counts[name] = { accepted: 0, refused: 0 };
    for (let i = 0; i < N; i++) {
      const made = make();
      const wrong = made.flatMap((one) => one.wrong);
      let error = null;
      try {
        await call(...made.map((one) => one.value));
      } catch (thrown) {
        error = thrown;
      }
      const where = `${name}, set ${i}: wrong is [${wrong}]`;
      if (IS_REAL && wrong.length === 0 && error !== null) {
        check(error instanceof Error && error.name === 'WspError', `${where}, but ${error} was thrown`);
        const names = /^(path|source|options|audio|text)\b/.test(error.field);
        check(names && error.code !== 'internal', `${where}, but ${error.code} of ${error.field}: ${error.message}`);
        counts[name].refused++;
      } else if (error === null) {
        check(wrong.length === 0, `${where}, but it was accepted`);
        counts[name].accepted++;
      } else {
        check(error instanceof Error && error.name === 'WspError', `${where}, but ${error} was thrown`);
        check(wrong.length > 0, `${where}, but ${error.code} of ${error.field}: ${error.message}`);
        const allowed = ['invalid_argument', 'unknown_option', 'bad_format'];
        check(allowed.includes(error.code), `${where}: ${error.code}`);
        const named = (path) => error.field === path || error.field.startsWith(`${path}[`);
        check(wrong.some(named), `${where}, but ${error.field} was named: ${error.message}`);
        counts[name].refused++;
      }
    }
  }
  print(JSON.stringify(counts));
});
