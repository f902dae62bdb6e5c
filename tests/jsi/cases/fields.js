// Sets each option of transcription and detection alone to a value that is not its default, and finds it in its C field and no
// other field changed. On the recording core; the argument is the surface as JSON.
const surface = JSON.parse(String.fromCharCode.apply(null, new Uint8Array(readFile(args[0]))));

/** A value that is allowed and is not the default. */
function another(field) {
  const low = field.minimum === null ? -5 : field.minimum;
  const high = field.maximum === null ? low + 7 : field.maximum;
  switch (field.kind) {
    case 'bool':
      return !field.default;
    case 'int':
    case 'uint64':
      return field.default === high ? high - 1 : Math.min(high, Math.max(low, field.default) + 1);
    case 'float':
      return field.default === (low + high) / 2 ? high : (low + high) / 2;
    case 'tokens':
      return [3, 1, 2];
    case 'names':
      return ['en', 'de'];
    case 'enum':
      return surface.enums[field.of].find((value) => value !== field.default);
    default:
      return 'some text';
  }
}

function differences(before, after) {
  return Object.keys(after).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}

const near = (a, b) => a === b || Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));

run(async () => {
  const context = await wsp.openContext({ path: 'model' });
  const vad = await wsp.openVad({ path: 'model' });
  const audio = { data: new Float32Array(1600) };
  const calls = {
    transcribe: (options) => context.transcribe(audio, options).promise,
    vad: (options) => vad.detect(audio, options).promise,
  };
  let n = 0;
  for (const [group, call] of Object.entries(calls)) {
    const ask = async (options) => {
      await call(options);
      return JSON.parse(recorded());
    };
    const plain = await ask({});
    for (const field of surface.groups[group].fields) {
      if (field.kind === 'options') {
        for (const inner of surface.groups[field.of].fields) {
          const value = another(inner);
          const found = await ask({ [field.name]: { [inner.name]: value } });
          const place = `${field.cField}.${inner.cField}`;
          check(near(found[place], value), `${field.name}.${inner.name}: ${found[place]}, expected ${value}`);
          equal(differences(plain, found), [place], field.name);
          n++;
        }
        continue;
      }
      if (!field.cField) continue;
      const value = another(field);
      const found = await ask({ [field.name]: value });
      const same = typeof value === 'number' ? near(found[field.cField], value) : JSON.stringify(found[field.cField]) === JSON.stringify(value);
      check(same, `${field.name}: ${found[field.cField]}, expected ${value}`);
      const beside = field.name === 'beamSize' ? ['strategy', field.cField] : [field.cField];
      equal(differences(plain, found), beside, field.name);
      n++;
    }
  }
  check(n > 45, `${n} options`);

  // What comes back is valid text, also where the core cuts a character.
  const { text, segments } = await context.transcribe(audio, { tokens: true, words: true }).promise;
  equal(text, ' first second \ufffd\ufffd', 'text');
  equal(segments[1].tokens[0].text, ' second \ufffd\ufffd', 'text of a token');

  const grammar = await calls.transcribe({ grammar: 'root ::= "a"' });
  check(grammar.isCancelled === false && JSON.parse(recorded()).grammar_rules, 'a grammar is parsed');
  await wsp.openContext({ path: 'model' }, { dtw: 'tiny.en', useGpu: false, gpuDevice: 2 });
  equal(JSON.parse(recorded()), { use_gpu: false, gpu_device: 2, dtw_token_timestamps: true, dtw_aheads_preset: 3, dtw_n_top: 0, backend: 0, encoder_path: null }, 'dtw');
  await wsp.openContext({ path: 'model' }, { backend: 'coreml', encoderPath: 'encoder.mlpackage' });
  equal([JSON.parse(recorded()).backend, JSON.parse(recorded()).encoder_path], [3, 'encoder.mlpackage'], 'backend');
  await wsp.openContext({ path: 'model' }, { dtwNTop: 2 });
  equal(JSON.parse(recorded()).dtw_aheads_preset, 1, 'the last layers');
});
