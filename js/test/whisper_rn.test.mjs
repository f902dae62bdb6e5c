// whisper.rn's API by its names and units, and each of its defects that is not copied.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { calls, compat, gate, nativeError, reset, script, segment, turn, wsp } from './installed.mjs';

afterEach(reset);

const last = () => calls.filter(([first]) => typeof first === 'object').at(-1);
const MODEL = { filePath: 'file:///model.bin' };

// All runtime exports of whisper.rn 0.7.4, written down from its index.ts.
const EXPORTS = [
  'ParakeetContext',
  'WhisperContext',
  'WhisperVadContext',
  'addNativeLogListener',
  'initParakeet',
  'initWhisper',
  'initWhisperVad',
  'installJsi',
  'isCoreMLAllowFallback',
  'isUseCoreML',
  'libVersion',
  'releaseAllParakeet',
  'releaseAllWhisper',
  'releaseAllWhisperVad',
  'toggleNativeLog',
];

test('every export of whisper.rn is there', () => {
  assert.deepEqual(EXPORTS.filter((name) => wsp[name] === undefined), []);
});

test('a result has its names, and times in units of 10 ms', async () => {
  script.segments = [segment(' And so', 0, 1.19), segment(' on.', 1.19, 2.3)];
  const context = await wsp.initWhisper(MODEL);
  const { promise } = context.transcribe('file:///a.wav', { language: 'en' });
  assert.deepEqual(await promise, {
    result: ' And so on.',
    language: 'en',
    segments: [{ text: ' And so', t0: 0, t1: 119 }, { text: ' on.', t0: 119, t1: 230 }],
    isAborted: false,
  });
});

test('Core ML encodes unless it is told not to, and then what decodes does', async () => {
  const asked = async (options) => {
    await wsp.initWhisper({ ...MODEL, ...options });
    return last()[1];
  };
  assert.deepEqual(await asked({}), { useGpu: true, backend: 'auto' });
  assert.deepEqual(await asked({ useGpu: false }), { useGpu: false, backend: 'auto' });
  assert.deepEqual(await asked({ useCoreMLIos: false }), { useGpu: true, backend: 'metal' });
  assert.deepEqual(await asked({ useCoreMLIos: false, useGpu: false }), { useGpu: false, backend: 'cpu' });
});

test('each of the 16 options reaches the native part by our name', async () => {
  const theirs = {
    language: 'de',
    translate: true,
    maxThreads: 3.9,
    nProcessors: 2,
    maxContext: 64,
    maxLen: 20,
    tokenTimestamps: true,
    tdrzEnable: true,
    wordThold: 0.02,
    offset: 1500,
    duration: 2500,
    temperature: 0.1,
    temperatureInc: 0.3,
    beamSize: 4,
    bestOf: 3,
    prompt: 'Names: Ada.',
  };
  assert.deepEqual(Object.keys(theirs).sort(), Object.keys(compat.OPTION_NAMES).sort());
  const context = await wsp.initWhisper(MODEL);
  await context.transcribe('/a.wav', theirs).promise;
  assert.deepEqual(last()[1], {
    suppressNst: false,
    language: 'de',
    translate: true,
    nThreads: 3,
    nParts: 2,
    nMaxTextCtx: 64,
    maxLen: 20,
    tokenTimestamps: true,
    tdrzEnable: true,
    tholdPt: 0.02,
    offsetMs: 1500,
    durationMs: 2500,
    temperature: 0.1,
    temperatureInc: 0.3,
    beamSize: 4,
    bestOf: 3,
    initialPrompt: 'Names: Ada.',
  });
});

test('options that stand for their default, and unknown ones, are left out', async () => {
  const context = await wsp.initWhisper(MODEL);
  await context.transcribe('/a.wav', { maxContext: -1, beamSize: -1, prompt: undefined, language: null, speedUp: true }).promise;
  assert.deepEqual(last()[1], { suppressNst: false });
});

test('an error names the option by the name that was used', async () => {
  const context = await wsp.initWhisper(MODEL);
  const native = globalThis.nativeModules.Wsp;
  const refusing = new wsp.WhisperContext(
    new wsp.Context({
      ...(await native.openContext({ path: '/m' })),
      transcribe() {
        throw nativeError('invalid_argument', 'options.nThreads is 100, expected 0 to 64.', 'options.nThreads');
      },
    }),
  );
  assert.throws(() => refusing.transcribe('/a.wav', { maxThreads: 100 }), (error) => {
    assert.deepEqual([error instanceof wsp.WspError, error.code, error.field], [true, 'invalid_argument', 'options.maxThreads']);
    assert.equal(error.message, 'options.maxThreads is 100, expected 0 to 64.');
    return true;
  });
  assert.equal(context.gpu, false);
});

test('audio is a path, a file URL, a data URL, an asset, base64 or a buffer', async () => {
  globalThis.assets = { 7: { uri: 'file:///app/a.wav' }, 8: { uri: 'sounds_a' } };
  const context = await wsp.initWhisper(MODEL);
  const heard = async (task) => {
    await task.promise;
    return last()[0];
  };
  assert.deepEqual(await heard(context.transcribe('/a.wav')), { path: '/a.wav' });
  assert.deepEqual(await heard(context.transcribe('file:///a.wav')), { path: '/a.wav' });
  assert.deepEqual(await heard(context.transcribe('data:audio/wav;base64,UklGRg==')), { base64: 'UklGRg==', format: 'wav' });
  assert.deepEqual(await heard(context.transcribe(7)), { path: '/app/a.wav' });
  assert.deepEqual(await heard(context.transcribe(8)), { path: 'resource://sounds_a' });
  assert.deepEqual(await heard(context.transcribeData('AAAA')), { base64: 'AAAA', format: 'int16' });
  const data = new ArrayBuffer(4);
  assert.deepEqual(await heard(context.transcribeData(data)), { data, format: 'int16' });
  assert.throws(() => context.transcribe('https://example.org/a.wav'), { code: 'unsupported', field: 'audio' });
  await assert.rejects(wsp.initWhisper({ filePath: 'http://example.org/model.bin' }), { code: 'unsupported' });
  assert.deepEqual(await heard(context.transcribe('content://recorder/7')), { path: 'content://recorder/7' });
  await wsp.initWhisper({ filePath: 'model.bin', isBundleAsset: true });
  assert.deepEqual(last()[0], { path: 'asset://model.bin' });
});

test('progress goes from 0 to 100, new segments come with their counts', async () => {
  script.segments = [segment(' a', 0, 1), segment(' b', 1, 2, { speakerTurnNext: true })];
  const context = await wsp.initWhisper(MODEL);
  const progress = [];
  const added = [];
  await context.transcribe('/a.wav', {
    onProgress: (percent) => progress.push(percent),
    onNewSegments: (result) => added.push(result),
  }).promise;
  assert.deepEqual(progress, [50, 100]);
  assert.deepEqual(added, [
    { nNew: 1, totalNNew: 1, result: ' a', segments: [{ text: ' a', t0: 0, t1: 100 }] },
    { nNew: 1, totalNNew: 2, result: ' b [SPEAKER_TURN]', segments: [{ text: ' b [SPEAKER_TURN]', t0: 100, t1: 200 }] },
  ]);
});

test('a stopped call resolves with isAborted and the text so far', async () => {
  const { step, pass, open } = gate();
  script.segments = [segment(' a', 0, 1), segment(' b', 1, 2)];
  const context = await wsp.initWhisper(MODEL);
  script.step = step;
  const { stop, promise } = context.transcribe('/a.wav');
  await pass();
  const stopped = stop();
  open();
  await stopped;
  assert.deepEqual(await promise, { result: ' a', language: 'en', segments: [{ text: ' a', t0: 0, t1: 100 }], isAborted: true });
});

test('bench has its names', async () => {
  const context = await wsp.initWhisper(MODEL);
  assert.deepEqual(await context.bench(2), { config: 'mock', nThreads: 2, encodeMs: 1, decodeMs: 1, batchMs: 1, promptMs: 1 });
});

test('all contexts are released at once, and others stay', async () => {
  const mine = await wsp.loadModel('/m');
  const context = await wsp.initWhisper(MODEL);
  const second = await wsp.initWhisper(MODEL);
  assert.equal(second.id, context.id + 1);
  await wsp.releaseAllWhisper();
  assert.throws(() => context.transcribe('/a.wav'), { code: 'released' });
  assert.throws(() => second.transcribe('/a.wav'), { code: 'released' });
  assert.equal(mine.isReleased, false);
  await context.release();
});

test('parakeet is refused by a typed error, and its releases do nothing', async () => {
  await assert.rejects(wsp.initParakeet(MODEL), (error) => error instanceof wsp.WspError && error.code === 'unsupported');
  assert.throws(() => new wsp.ParakeetContext(), { code: 'unsupported' });
  await wsp.releaseAllParakeet();
});

test('realtime transcription says that it is not there yet', async () => {
  const realtime = await import('wsp.rn/realtime-transcription');
  const adapters = await import('wsp.rn/realtime-transcription/adapters');
  const classes = [
    ...['RealtimeTranscriber', 'SliceManager', 'RingBuffer', 'RingBufferVad'].map((name) => realtime[name]),
    ...['AudioPcmStreamAdapter', 'SimulateFileAudioStreamAdapter', 'JestAudioStreamAdapter'].map((name) => adapters[name]),
  ];
  for (const Class of classes) {
    assert.throws(() => new Class({}, {}, {}), (error) => {
      assert.ok(error instanceof wsp.NotYetError && error.code === 'unsupported' && error.message.includes(Class.name));
      return true;
    });
  }
  const deep = await import('wsp.rn/realtime-transcription/adapters/AudioPcmStreamAdapter');
  assert.equal(deep.AudioPcmStreamAdapter, adapters.AudioPcmStreamAdapter);
  assert.equal(Object.keys(realtime.VAD_PRESETS).length, 8);
  assert.equal(realtime.VAD_PRESETS.noisy.threshold, 0.75);
  assert.equal(realtime.VAD_PRESETS['very-conservative'].minSilenceDurationMs, 300);
});

test('the system is told by constants', () => {
  assert.deepEqual([wsp.libVersion, wsp.isUseCoreML, wsp.isCoreMLAllowFallback], ['1.9.1', false, false]);
});

// Defects of whisper.rn 0.7.4, each by what happens there.

test('defect: stopping a call that ended aborts the one that runs', async () => {
  const context = await wsp.initWhisper(MODEL);
  const first = context.transcribe('/a.wav');
  await first.promise;
  const second = context.transcribe('/a.wav');
  await first.stop();
  assert.equal((await second.promise).isAborted, false);
});

test('defect: a stop while the audio is still being read is lost', async () => {
  globalThis.assets = { 9: { uri: 'http://localhost:8081/a.wav' } };
  let answer;
  globalThis.XMLHttpRequest = class {
    open() {}
    send() {
      answer = () => Object.assign(this, { status: 200, response: new ArrayBuffer(2) }).onload();
    }
  };
  const context = await wsp.initWhisper(MODEL);
  const { stop, promise } = context.transcribe(9);
  const stopped = stop();
  answer();
  await stopped;
  assert.equal((await promise).isAborted, true);
});

test('defect: a second call on a busy context throws', async () => {
  const context = await wsp.initWhisper(MODEL);
  const tasks = Array.from({ length: 100 }, () => context.transcribe('/a.wav'));
  const order = [];
  await Promise.all(tasks.map((task, index) => task.promise.then(() => order.push(index))));
  assert.deepEqual(order, tasks.map((_task, index) => index));
});

test('defect: numbers of jobs collide', async () => {
  const [one, other] = [await wsp.loadModel('/m'), await wsp.loadModel('/m')];
  const jobs = Array.from({ length: 200 }, (_, index) => (index % 2 ? one : other).transcribe('/a.wav'));
  assert.equal(new Set(jobs.map((job) => job.id)).size, 200);
  await Promise.all(jobs.map((job) => job.promise));
});

test('defect: removing a listener of the log twice removes another one', async () => {
  const heard = [];
  const first = wsp.addNativeLogListener(() => heard.push('first'));
  wsp.addNativeLogListener((level, text) => heard.push([level, text]));
  first.remove();
  first.remove();
  await wsp.toggleNativeLog(true);
  const [level, deliver] = calls.at(-1);
  assert.equal(level, 'info');
  deliver('warn', 'careful');
  assert.deepEqual(heard, [['warn', 'careful']]);
  await wsp.toggleNativeLog(false);
  assert.equal(calls.at(-1)[0], 'off');
});

test('defect: a failing bench is told as a syntax error of JSON', async () => {
  const context = await wsp.initWhisper(MODEL);
  script.step = () => Promise.reject(nativeError('out_of_memory', 'no memory for the state'));
  await assert.rejects(context.bench(1), (error) => error instanceof wsp.WspError && error.code === 'out_of_memory');
});

test('defect: without a language everything is taken for English', async () => {
  const context = await wsp.initWhisper(MODEL);
  await context.transcribe('/a.wav').promise;
  // Left out, the native part detects it.
  assert.equal(last()[1].language, undefined);
  assert.equal(wsp.TRANSCRIPTION_DEFAULTS.language, 'auto');
});

test('defect: views of a buffer are not taken as views, floats are read as 16-bit numbers', async () => {
  const context = await wsp.initWhisper(MODEL);
  const floats = new Float32Array([0, 0.5, 1]).subarray(1);
  await context.transcribeData(floats).promise;
  assert.deepEqual(last()[0], { data: floats });
  const bytes = new Uint8Array(8).subarray(2, 6);
  await context.transcribeData(bytes).promise;
  assert.deepEqual(last()[0], { data: bytes, format: 'int16' });
});

test('defect: times of speech are ticks in the code, seconds in the README and in the mock', async () => {
  const vad = await wsp.initWhisperVad({ filePath: '/vad.bin', useGpu: true, nThreads: 4 });
  assert.deepEqual(await vad.detectSpeech('/a.wav', { threshold: 0.5 }), [{ t0: 50, t1: 230 }, { t0: 310, t1: 580 }, { t0: 720, t1: 940 }]);
  assert.equal((await vad.detectSpeechData(new ArrayBuffer(4)))[0].t0, 50);
  assert.equal(vad.gpu, false);
  await wsp.releaseAllWhisperVad();
  await assert.rejects(vad.detectSpeech('/a.wav'), { code: 'released' });
});

test('a call that fails after it was stopped leaves no rejection unhandled', async () => {
  const unhandled = [];
  const listener = (reason) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  const context = await wsp.initWhisper(MODEL);
  script.step = () => Promise.reject(nativeError('io', 'gone'));
  const { stop, promise } = context.transcribe('/a.wav');
  await stop();
  await assert.rejects(promise, { code: 'io' });
  await turn();
  process.off('unhandledRejection', listener);
  assert.deepEqual(unhandled, []);
});

test("defect: the package has no main entry in its exports, and the README's import of adapters does not exist", async () => {
  assert.equal(typeof wsp.initWhisper, 'function');
  assert.equal(typeof (await import('wsp.rn/realtime-transcription/adapters')).AudioPcmStreamAdapter, 'function');
});
