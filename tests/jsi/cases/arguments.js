// Wrong arguments of every method are refused with a typed error that names the field.
run(async () => {
  equal(wsp.contract(), { major: 1, minor: 0 }, 'the contract');
  check(wsp.languages().some((one) => one.code === 'de' && one.name === 'german'), 'languages');
  check(wsp.systemInfo().version.startsWith('1.'), JSON.stringify(wsp.systemInfo()));
  const memory = await wsp.estimateMemory(MODEL);
  check(memory.weightsBytes > 30e6 && memory.stateBytes > 1e6, JSON.stringify(memory));

  for (const path of [undefined, null, 5, '', 'a\0b', {}, []]) await refused(() => wsp.estimateMemory(path), 'invalid_argument', 'path');
  await refused(() => wsp.estimateMemory('/no/such.bin'), 'not_found', 'path');
  await refused(() => wsp.estimateMemory(RECORDING), 'bad_format', 'path');
  for (const source of [undefined, null, 5, 'text', [], () => 1, new Uint8Array(4)]) {
    await refused(() => wsp.openContext(source), 'invalid_argument', 'source');
    await refused(() => wsp.openVad(source), 'invalid_argument', 'source');
  }
  await refused(() => wsp.openContext({}), 'invalid_argument', 'source');
  await refused(() => wsp.openContext({ path: MODEL, data: new ArrayBuffer(1) }), 'invalid_argument', 'source');
  await refused(() => wsp.openContext({ path: '' }), 'invalid_argument', 'source.path');
  await refused(() => wsp.openContext({ data: 'text' }), 'invalid_argument', 'source.data');
  await refused(() => wsp.openContext({ modelPath: MODEL }), 'unknown_option', 'source.modelPath');
  await refused(() => wsp.openContext({ path: '/no/such.bin' }), 'not_found', 'source.path');
  await refused(() => wsp.openContext({ path: RECORDING }), 'bad_format', 'source.path');
  await refused(() => wsp.openContext({ data: new ArrayBuffer(8) }), 'bad_format', 'source.data');
  await refused(() => wsp.openContext({ path: MODEL }, { useGpu: 1 }), 'invalid_argument', 'options.useGpu');
  await refused(() => wsp.openContext({ path: MODEL }, { dtw: 'tiny', dtwNTop: 2 }), 'invalid_argument', 'options.dtw');
  await refused(() => wsp.openContext({ path: MODEL }, { backend: 'abacus' }), 'invalid_argument', 'options.backend');
  await refused(() => wsp.openContext({ path: MODEL }, { dtw: 'huge' }), 'invalid_argument', 'options.dtw');
  for (const level of [undefined, 3, 'loud']) await refused(() => wsp.setLog(level), 'invalid_argument', 'level');
  await refused(() => wsp.setLog('warn', 5), 'invalid_argument', 'onLog');

  const context = await wsp.openContext({ path: MODEL });
  const audio = { data: new Float32Array(1600) };
  const transcribe = (a, o, e) => () => context.transcribe(a, o, e).promise;
  const wrong = [
    [undefined, 'audio'],
    [null, 'audio'],
    ['path', 'audio'],
    [{}, 'audio'],
    [{ path: 'a', base64: 'b' }, 'audio'],
    [{ data: [1, 2] }, 'audio.data'],
    [{ data: { buffer: new ArrayBuffer(4), byteOffset: 2, byteLength: 4 } }, 'audio.data'],
    [{ data: { buffer: new ArrayBuffer(4), byteOffset: -2, byteLength: 4 } }, 'audio.data'],
    [{ data: { buffer: new ArrayBuffer(4), byteOffset: NaN, byteLength: 4 } }, 'audio.data'],
    [{ data: new ArrayBuffer(4) }, 'audio.format'],
    [{ data: new Float32Array(4), format: 'int16' }, 'audio.format'],
    [{ data: new Float32Array(4), format: 'mp3' }, 'audio.format'],
    [{ data: new Uint8Array(3), format: 'int16' }, 'audio.data'],
    [{ data: new Int16Array(3), channels: 2 }, 'audio.data'],
    [{ data: new Int16Array(4), channels: 0 }, 'audio.channels'],
    [{ data: new Int16Array(4), sampleRateHz: 0.5 }, 'audio.sampleRateHz'],
    [{ data: new Int16Array(4), sampleRateHz: 2e6 }, 'audio.sampleRateHz'],
    [{ path: 5 }, 'audio.path'],
    [{ path: 'x', format: 'int16' }, 'audio.format'],
  ];
  for (const [value, field] of wrong) {
    await refused(transcribe(value), 'invalid_argument', field);
    await refused(() => context.detectLanguage(value).promise, 'invalid_argument', field);
  }
  await refused(transcribe({ path: '/no/such.wav' }), 'not_found', 'audio.path');
  await refused(transcribe({ path: MODEL }), 'bad_format', 'audio.path');
  await refused(transcribe({ base64: 'a*' }), 'bad_format', 'audio.base64');
  for (const start of [transcribe, (data) => () => context.detectLanguage(data).promise]) {
    await refused(start({ data: new Float32Array(1600).fill(NaN) }), 'invalid_argument', 'audio');
  }

  const fields = {
    language: [5, null, 'a\0'],
    languageCandidates: ['de', [5], {}],
    beamSize: [0, 9, 1.5, NaN, Infinity, '5', true, null],
    patience: [0, -2, 101],
    seed: [-1, 2 ** 53, 0.5],
    temperature: [-0.1, 1.1, '0'],
    promptTokens: [[-1], [1.5], 'a', [2 ** 31]],
    translate: [1, 'yes', null],
    priority: ['urgent', 1],
    vadOptions: [5, []],
    nThreads: [-1, 65],
  };
  for (const [name, values] of Object.entries(fields)) {
    for (const value of values) {
      const error = await failure(transcribe(audio, { [name]: value }));
      equal(error.code, 'invalid_argument', `${name}: ${error.message}`);
      check(error.field.startsWith(`options.${name}`), error.field);
    }
  }
  await refused(transcribe(audio, { vadOptions: { threshold: 2 } }), 'invalid_argument', 'options.vadOptions.threshold');
  await refused(transcribe(audio, { language: 'en', languageCandidates: ['de'] }), 'invalid_argument', 'options.language');
  const misspelt = await refused(transcribe(audio, { beamsize: 2 }), 'unknown_option', 'options.beamsize');
  check(misspelt.message.includes('did you mean beamSize'), misspelt.message);
  await refused(transcribe(audio, { vadOptions: { loud: 1 } }), 'unknown_option', 'options.vadOptions.loud');
  await refused(transcribe(audio, {}, 5), 'invalid_argument', 'onEvent');
  await refused(transcribe(audio, { grammar: 'root ::=' }), 'bad_format', 'options.grammar');
  await refused(transcribe({ path: RECORDING }, { language: 'xx' }), 'invalid_argument', 'options.language');
  await refused(transcribe({ path: RECORDING }, { language: 'de' }), 'unsupported', 'options.language');
  await refused(transcribe({ path: RECORDING }, { languageCandidates: ['xx'] }), 'invalid_argument', 'options.languageCandidates');
  await refused(transcribe({ path: RECORDING }, { suppressRegex: '(' }), 'invalid_argument', 'options.suppressRegex');
  await refused(transcribe({ path: RECORDING }, { promptTokens: [60000] }), 'invalid_argument', 'options.promptTokens');
  await refused(transcribe({ path: RECORDING }, { vad: true }), 'invalid_argument', 'options.vad');
  await refused(transcribe({ path: RECORDING }, { vad: true, vadModelPath: '/no/such.bin' }), 'not_found', 'options.vadModelPath');
  await refused(transcribe({ path: RECORDING }, { vad: true, vadModelPath: RECORDING }), 'bad_format', 'options.vadModelPath');
  await refused(() => context.detectLanguage({ data: new Float32Array(0) }).promise, 'invalid_argument', 'audio');
  await refused(() => context.detectLanguage(audio, { offsetMs: 100 }).promise, 'invalid_argument', 'options.offsetMs');
  await refused(() => context.bench({ nThreads: 1000 }).promise, 'invalid_argument', 'options.nThreads');
  await refused(() => context.tokenize(5), 'invalid_argument', 'text');
  await refused(() => context.detectLanguage({ path: RECORDING }).promise, 'unsupported', undefined);

  // A getter's own error passes, and an undefined key is no key.
  const own = new Error('own');
  const getter = { get language() { throw own; } };
  check((await failure(transcribe(audio, getter))) === own, 'the very error');
  const result = await context.transcribe(audio, { language: undefined, later: undefined }, undefined).promise;
  equal(result.isCancelled, false, 'undefined is absent');
  await context.release();
});
