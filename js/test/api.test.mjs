// The rest of the API: loading, inputs, errors, contract, writers, turns, voice activity, exports.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { calls, createNative, DEFAULT_SCRIPT, defaults, require, reset, script, segment, wsp } from './installed.mjs';

afterEach(reset);

/** The arguments of the last call whose first argument looks like audio or a source. */
const last = () => calls.filter(([first]) => typeof first === 'object').at(-1);

async function audioFor(input) {
  await (await wsp.loadModel('/model.bin')).transcribe(input).promise;
  return last()[0];
}

test('a model is a path, a file URL or a source', async () => {
  await wsp.loadModel('/a/model.bin');
  assert.deepEqual(last(), [{ path: '/a/model.bin' }, {}]);
  await wsp.loadModel('file:///a/my%20model.bin', { useGpu: false });
  assert.deepEqual(last(), [{ path: '/a/my model.bin' }, { useGpu: false }]);
  const data = new ArrayBuffer(8);
  await wsp.loadModel({ data });
  assert.equal(last()[0].data, data);
  await wsp.loadModel({ path: 'file:///b.bin' });
  assert.deepEqual(last()[0], { path: '/b.bin' });
});

test('a path that holds a percent sign and was never escaped stays as it is', async () => {
  await wsp.loadModel('file:///a/100%.bin');
  assert.deepEqual(last()[0], { path: '/a/100%.bin' });
});

test('addresses that name no file are refused with the field', async () => {
  const typed = (field) => (error) => error instanceof wsp.WspError && error.code === 'unsupported' && error.field === field;
  await assert.rejects(wsp.loadModel('https://example.org/model.bin'), typed('source'));
  await assert.rejects(wsp.loadModel({ path: 'HTTP://example.org/model.bin' }), typed('source.path'));
  await assert.rejects(wsp.loadVad('blob://media/1'), typed('source'));
  await assert.rejects(wsp.estimateMemory('https://example.org/model.bin'), typed('path'));
  const context = await wsp.loadModel('/model.bin');
  assert.throws(() => context.transcribe('ph://asset'), typed('audio'));
  assert.throws(() => context.detectLanguage({ path: 'https://example.org/a.wav' }), typed('audio.path'));
});

test('audio is a path, samples, or an object that says all', async () => {
  assert.deepEqual(await audioFor('file:///a.wav'), { path: '/a.wav' });
  for (const samples of [new Float32Array(4), new Int16Array(4)]) {
    assert.equal((await audioFor(samples)).data, samples);
  }
  const audio = { data: new Uint8Array(8), format: 'int16', sampleRateHz: 48000, channels: 2 };
  assert.deepEqual(await audioFor(audio), audio);
});

test('an asset is a path where it is a file or a raw resource, and bytes where the bundler serves it', async () => {
  globalThis.assets = { 1: { uri: 'file:///app/model.bin' }, 2: { uri: 'http://localhost:8081/model.bin' }, 3: { uri: 'raw_model' }, 5: { uri: 'blob:model' } };
  globalThis.XMLHttpRequest = class {
    open(_method, url) {
      this.url = url;
    }
    send() {
      this.status = this.url.endsWith('/model.bin') ? 200 : 404;
      this.response = new ArrayBuffer(3);
      queueMicrotask(() => this.onload());
    }
  };
  await wsp.loadModel(1);
  assert.deepEqual(last()[0], { path: '/app/model.bin' });
  await wsp.loadModel(2);
  assert.equal(last()[0].data.byteLength, 3);
  await wsp.loadModel(3);
  assert.deepEqual(last()[0], { path: 'resource://raw_model' });
  await assert.rejects(wsp.loadModel(5), { code: 'unsupported', field: 'asset' });
  await assert.rejects(wsp.loadModel(4), { code: 'not_found', field: 'asset' });
  globalThis.assets[2].uri = 'http://localhost:8081/gone';
  await assert.rejects(wsp.readAsset(2), { code: 'io', field: 'asset' });
});

test('memory is told before loading, and the system what it is', async () => {
  assert.deepEqual(await wsp.estimateMemory('file:///model.bin'), { weightsBytes: 1, stateBytes: 1 });
  assert.equal(wsp.systemInfo().version, '1.9.1');
  assert.ok(wsp.languages().some((one) => one.code === 'de'));
});

test('every option reaches the native part by its name', async () => {
  const options = { ...defaults.TRANSCRIBE_CALL_DEFAULTS, language: 'de', beamSize: 5, priority: 'high', tokens: true, words: true };
  const context = await wsp.loadModel('/model.bin');
  await context.transcribe('/a.wav', { ...options, onProgress() {}, onSegments() {}, signal: new AbortController().signal }).promise;
  assert.deepEqual(last()[1], options);
  assert.deepEqual(Object.keys(options).sort(), [...defaults.TRANSCRIBE_CALL_KEYS].sort());
});

test('an option that the native part does not know is a typed error that names it', async () => {
  const context = await wsp.loadModel('/model.bin');
  const check = (field) => (error) => error instanceof wsp.WspError && error.code === 'unknown_option' && error.field === field;
  assert.throws(() => context.transcribe('/a.wav', { beamsize: 5 }), check('options.beamsize'));
  assert.throws(() => context.transcribe({ path: '/a.wav', rate: 8000 }), check('audio.rate'));
  await assert.rejects(wsp.loadModel('/model.bin', { useGPU: true }), check('options.useGPU'));
});

test('a typed error keeps the native one as its cause', async () => {
  const context = await wsp.loadModel('/model.bin');
  assert.throws(() => context.transcribe({}), (error) => error.code === 'invalid_argument' && error.cause.code === 'invalid_argument');
});

test('wrong arguments of every method throw or reject with a typed error that names the field', async () => {
  const context = await wsp.loadModel('/model.bin');
  const vad = await wsp.loadVad('/vad.bin');
  const theirs = await wsp.initWhisper({ filePath: '/model.bin' });
  const theirVad = await wsp.initWhisperVad({ filePath: '/vad.bin' });
  const wrong = [
    [() => wsp.loadModel(null), 'source'],
    [() => wsp.loadModel(), 'source'],
    [() => wsp.loadModel('/m', null), 'options'],
    [() => wsp.loadModel('/m', 5), 'options'],
    [() => wsp.loadVad(null), 'source'],
    [() => wsp.initWhisper(), 'source'],
    [() => wsp.initWhisper(5), 'options'],
    [() => wsp.initWhisperVad({}), 'source'],
    [() => context.transcribe(null), 'audio'],
    [() => context.transcribe(), 'audio'],
    [() => context.transcribe(5), 'audio'],
    [() => context.transcribe('/a.wav', null), 'options'],
    [() => context.transcribe('/a.wav', 'de'), 'options'],
    [() => context.transcribe('/a.wav', { onProgress: 5 }), 'options.onProgress'],
    [() => context.transcribe('/a.wav', { onSegments: {} }), 'options.onSegments'],
    [() => context.transcribe('/a.wav', { signal: new AbortController() }), 'options.signal'],
    [() => context.detectLanguage('/a.wav', { signal: null }), 'options.signal'],
    [() => context.detectLanguage(null), 'audio'],
    [() => context.bench(5), 'options'],
    [() => vad.detect(undefined), 'audio'],
    [() => vad.detect('/a.wav', 5), 'options'],
    [() => theirs.transcribe(undefined), 'audio'],
    [() => theirs.transcribe('/a.wav', null), 'options'],
    [() => theirs.transcribe('/a.wav', { onNewSegments: 5 }), 'options.onNewSegments'],
    [() => theirs.transcribe('/a.wav', { onProgress: 5 }), 'options.onProgress'],
    [() => theirVad.detectSpeech(undefined), 'audio'],
    [() => theirVad.detectSpeech('/a.wav', 5), 'options'],
  ];
  for (const [call, field] of wrong) {
    await assert.rejects(
      async () => call(),
      (error) => {
        const told = [error instanceof wsp.WspError, error.code, error.field];
        assert.deepEqual(told, [true, 'invalid_argument', field], `${call}: ${error.stack}`);
        return true;
      },
    );
  }
});

test('the defaults that are shown are those of the options', () => {
  assert.equal(wsp.TRANSCRIPTION_DEFAULTS.language, 'auto');
  assert.equal(wsp.DETECTION_DEFAULTS.threshold, 0.5);
  assert.equal(wsp.LOAD_DEFAULTS.useGpu, true);
});

test('language, tokens and speed are asked for in the same way', async () => {
  const context = await wsp.loadModel('/model.bin');
  const { language, probability, probabilities } = await context.detectLanguage('/a.wav', { priority: 'high' }).promise;
  assert.deepEqual([language, probability, probabilities], ['en', 1, [{ code: 'en', probability: 1 }]]);
  assert.equal(context.tokenize('abc').length, 3);
  assert.equal((await context.bench({ nThreads: 2 }).promise).nThreads, 2);
  assert.equal(context.info.backend, 'mock');
});

test('a method that an older native part lacks is a typed error', async () => {
  const { tokenize: _gone, ...older } = await createNative().openContext({ path: '/model.bin' });
  assert.throws(() => new wsp.Context(older).tokenize('a'), { code: 'unsupported', field: 'tokenize' });
});

test('speech has times in seconds, and probabilities where asked for', async () => {
  const vad = await wsp.loadVad('/vad.bin');
  const found = await vad.detect(new Float32Array(16000), { threshold: 0.4, probabilities: true }).promise;
  assert.deepEqual(found.segments[0], { startS: 0.5, endS: 2.3 });
  assert.equal(found.probabilities.length, 3);
  assert.equal(vad.nJobs, 0);
  await vad.release();
  assert.throws(() => vad.detect('/a.wav'), { code: 'released' });
  assert.equal(vad.isReleased, true);
});

test('the log is delivered', () => {
  const listener = () => undefined;
  wsp.setLog('warn', listener);
  assert.deepEqual(calls.at(-1), ['warn', listener]);
});

const SPOKEN = [
  segment(' Say <b>&\n hello -->', 0, 1.005),
  segment('  ', 1.005, 2),
  segment(' Bye.', 3661.5, 3661, { speakerTurnNext: true }),
];

test('SubRip and WebVTT have one line per cue and valid times', () => {
  const transcription = { segments: SPOKEN };
  assert.equal(
    wsp.toSrt(transcription),
    '1\n00:00:00,000 --> 00:00:01,005\nSay <b>& hello -->\n\n2\n01:01:01,500 --> 01:01:01,500\nBye. [SPEAKER_TURN]\n\n',
  );
  assert.equal(
    wsp.toVtt(transcription),
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.005\nSay &lt;b&gt;&amp; hello --&gt;\n\n' +
      '01:01:01.500 --> 01:01:01.500\nBye. [SPEAKER_TURN]\n\n',
  );
  assert.equal(wsp.toSrt({ segments: [segment(' a', 59.9996, 60)] }), '1\n00:01:00,000 --> 00:01:00,000\na\n\n');
});

test('subtitles have a cue per word where asked for', () => {
  assert.equal(wsp.toSrt({ segments: [segment(' One', 0, 1)] }, { perWord: true }), '1\n00:00:00,000 --> 00:00:01,000\nOne\n\n');
});

test('JSON has the names of the command line and no infinity', () => {
  const token = { id: 1, text: 'a', probability: 0, logProbability: -Infinity, isSpecial: false };
  const document = JSON.parse(
    wsp.toJson({
      text: ' a',
      segments: [segment(' a', 0, 1, { tokens: [token] })],
      language: 'en',
      languageProbability: 0.1234567,
      durationS: 1.23456,
      speech: [{ startS: 0, endS: 1 }],
    }),
  );
  assert.deepEqual([document.language, document.language_probability, document.duration_s], ['en', 0.123457, 1.235]);
  assert.deepEqual(document.speech, [{ start_s: 0, end_s: 1 }]);
  assert.deepEqual(document.segments[0].tokens[0], {
    id: 1, text: 'a', start_s: null, end_s: null, dtw_s: null, probability: 0, log_probability: null, special: false,
  });
  assert.deepEqual(document.segments[0].words[0], { text: ' a', start_s: 0, end_s: 1, probability: 0.5 });
});

test('speaker turns put segments together', () => {
  const segments = [segment(' a', 0, 1), segment(' b', 1, 2, { speakerTurnNext: true }), segment(' c', 2, 3)];
  assert.deepEqual(
    wsp.speakerTurns(segments).map(({ startS, endS, text }) => [startS, endS, text]),
    [[0, 2, ' a b'], [2, 3, ' c']],
  );
  assert.deepEqual(wsp.speakerTurns([]), []);
});

test('import and require give the same exports', async () => {
  for (const subpath of ['', '/realtime-transcription', '/realtime-transcription/adapters']) {
    const required = Object.keys(require(`wsp.rn${subpath}`)).sort();
    const imported = Object.keys(await import(`wsp.rn${subpath}`)).filter((key) => key !== 'default' && key !== 'module.exports');
    assert.deepEqual(required, imported.sort());
    assert.ok(required.length > 0);
  }
  assert.deepEqual(DEFAULT_SCRIPT.segments.length, 1);
});
