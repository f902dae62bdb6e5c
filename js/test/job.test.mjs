// Jobs: promise, iteration, cancellation, signals, words, the queue.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { gate, nativeError, reset, script, segment, turn, wsp } from './installed.mjs';

const SEGMENTS = [segment(' One', 0, 1), segment(' two', 1, 2), segment(' three.', 2, 3.5)];
const WAV = '/speech.wav';

afterEach(reset);

async function context() {
  script.segments = SEGMENTS;
  return wsp.loadModel('/model.bin');
}

async function all(items) {
  const found = [];
  for await (const item of items) {
    found.push(item);
  }
  return found;
}

test('a job resolves with text, segments, language and its probability', async () => {
  const { text, segments, language, languageProbability, isCancelled } = await (await context()).transcribe(WAV).promise;
  assert.equal(text, ' One two three.');
  assert.deepEqual(segments.map((one) => [one.startS, one.endS, one.text]), [[0, 1, ' One'], [1, 2, ' two'], [2, 3.5, ' three.']]);
  assert.deepEqual([language, languageProbability, isCancelled], ['en', 1, false]);
});

test('segments come one by one while the job runs', async () => {
  const { step, pass, open } = gate();
  const loaded = await context();
  script.step = step;
  const job = loaded.transcribe(WAV);
  const reader = job[Symbol.asyncIterator]();
  let heard;
  const first = reader.next().then((next) => (heard = next.value.text));
  await turn();
  assert.equal(heard, undefined);
  await pass();
  await first;
  assert.equal(heard, ' One');
  open();
  assert.deepEqual((await all(reader)).map((one) => one.text), [' two', ' three.']);
});

test('a loop that begins late, and a second one, see every segment', async () => {
  const job = (await context()).transcribe(WAV);
  await job.promise;
  assert.equal((await all(job)).length, 3);
  assert.equal((await all(job)).length, 3);
});

test('leaving a loop cancels nothing', async () => {
  const job = (await context()).transcribe(WAV);
  for await (const one of job) {
    assert.equal(one.text, ' One');
    break;
  }
  assert.equal((await job.promise).isCancelled, false);
});

test('calls of next that do not wait for each other give each item once', async () => {
  const job = (await context()).transcribe(WAV, { words: true });
  const reader = job.words();
  const words = await Promise.all([1, 2, 3, 4].map(() => reader.next()));
  assert.deepEqual(words.map((word) => word.value?.text), [' One', ' two', ' three.', undefined]);
});

test('words have times and probabilities, and must have been asked for', async () => {
  const loaded = await context();
  const words = await all(loaded.transcribe(WAV, { words: true }).words());
  assert.deepEqual(words[1], { text: ' two', startS: 1, endS: 2, probability: 0.5 });
  const job = loaded.transcribe(WAV);
  assert.throws(() => job.words(), { code: 'invalid_argument', field: 'options.words' });
  assert.equal((await job.promise).segments[0].words, undefined);
});

test('segments that no event told are still read', async () => {
  const native = globalThis.nativeModules.Wsp;
  const loaded = await context();
  const { openContext } = native;
  const silent = new wsp.Context({
    ...(await openContext({ path: '/model.bin' })),
    transcribe: (audio, options) => ({
      id: 1,
      cancel() {},
      promise: Promise.resolve({ segments: SEGMENTS, isCancelled: false }),
    }),
  });
  assert.equal((await all(silent.transcribe(WAV))).length, 3);
  assert.equal(loaded.nJobs, 0);
});

test('a cancelled job resolves with what there is, and its loop ends', async () => {
  const { step, pass, open } = gate();
  const loaded = await context();
  script.step = step;
  const job = loaded.transcribe(WAV);
  const read = all(job);
  await pass();
  job.cancel();
  open();
  const { isCancelled, text } = await job.promise;
  assert.deepEqual([isCancelled, text, (await read).length], [true, ' One', 1]);
});

test('cancelling hits only its own job, and after the end nothing', async () => {
  const loaded = await context();
  const first = loaded.transcribe(WAV);
  const second = loaded.transcribe(WAV);
  const third = loaded.transcribe(WAV);
  second.cancel();
  await first.promise;
  first.cancel();
  assert.deepEqual(
    (await Promise.all([first.promise, second.promise, third.promise])).map((one) => one.isCancelled),
    [false, true, false],
  );
  assert.equal(new Set([first.id, second.id, third.id]).size, 3);
});

test('a signal rejects with an AbortError that has the segments so far', async () => {
  const { step, pass, open } = gate();
  const loaded = await context();
  script.step = step;
  const abort = new AbortController();
  const job = loaded.transcribe(WAV, { signal: abort.signal });
  const read = all(job);
  await pass();
  abort.abort('enough');
  open();
  const check = (error) => {
    assert.ok(error instanceof wsp.AbortError && error instanceof wsp.WspError && error instanceof Error);
    assert.deepEqual([error.name, error.code, error.reason], ['AbortError', 'cancelled', 'enough']);
    assert.deepEqual(error.segments.map((one) => one.text), [' One']);
    return true;
  };
  await assert.rejects(job.promise, check);
  await assert.rejects(read, check);
});

test('a signal that has aborted before lets nothing run', async () => {
  const loaded = await context();
  const job = loaded.transcribe(WAV, { signal: AbortSignal.abort() });
  await assert.rejects(job.promise, (error) => error.name === 'AbortError' && error.segments.length === 0);
});

test('a signal that aborts after the end changes nothing, and no listener stays', async () => {
  const loaded = await context();
  const listeners = new Set();
  const signal = {
    aborted: false,
    addEventListener: (_type, listener) => listeners.add(listener),
    removeEventListener: (_type, listener) => listeners.delete(listener),
  };
  const job = loaded.transcribe(WAV, { signal });
  assert.equal(listeners.size, 1);
  assert.equal((await job.promise).isCancelled, false);
  assert.equal(listeners.size, 0);
});

test('a cancelled job without an aborted signal resolves', async () => {
  const job = (await context()).transcribe(WAV, { signal: new AbortController().signal });
  job.cancel();
  assert.equal((await job.promise).isCancelled, true);
});

test('each kind of job takes a signal', async () => {
  const loaded = await context();
  const vad = await wsp.loadVad('/vad.bin');
  const signal = AbortSignal.abort();
  for (const job of [loaded.detectLanguage(WAV, { signal }), loaded.bench({ signal }), vad.detect(WAV, { signal })]) {
    await assert.rejects(job.promise, { name: 'AbortError', code: 'cancelled' });
  }
});

test('callbacks hear of progress and segments, in order, before the promise settles', async () => {
  const heard = [];
  const job = (await context()).transcribe(WAV, {
    onProgress: (percent) => heard.push(percent),
    onSegments: (segments, firstIndex) => heard.push([firstIndex, segments[0].text]),
  });
  await job.promise.then(() => heard.push('end'));
  assert.deepEqual(heard, [[0, ' One'], 33, [1, ' two'], 66, [2, ' three.'], 100, 'end']);
});

test('what a callback throws is what the job rejects with', async () => {
  const thrown = Object.assign(new Error('mine'), { code: 'ENOENT' });
  const job = (await context()).transcribe(WAV, {
    onSegments() {
      throw thrown;
    },
  });
  await assert.rejects(job.promise, (error) => error === thrown);
  await assert.rejects(all(job), (error) => error === thrown);
});

test('a native error that comes later is typed, for the promise and for loops', async () => {
  const loaded = await context();
  script.step = () => Promise.reject(nativeError('bad_format', 'no RIFF header', 'audio.data'));
  const job = loaded.transcribe(WAV);
  const check = (error) =>
    error instanceof wsp.WspError && error.code === 'bad_format' && error.field === 'audio.data' && error.message === 'no RIFF header';
  await assert.rejects(all(job), check);
  await assert.rejects(job.promise, check);
});

test('a loop that meets an error leaves no rejection unhandled', async () => {
  const loaded = await context();
  const unhandled = [];
  const listener = (reason) => unhandled.push(reason);
  process.on('unhandledRejection', listener);
  script.step = () => Promise.reject(nativeError('io', 'gone'));
  await assert.rejects(all(loaded.transcribe(WAV)), { code: 'io' });
  await turn();
  await turn();
  process.off('unhandledRejection', listener);
  assert.deepEqual(unhandled, []);
});

test('calls queue by priority, then by order', async () => {
  const loaded = await context();
  const order = [];
  const jobs = ['low', 'normal', 'high', 'normal'].map((priority, index) => {
    const job = loaded.transcribe(WAV, { priority, onProgress: (percent) => percent === 100 && order.push(`${priority}${index}`) });
    return job.promise;
  });
  assert.equal(loaded.nJobs, 4);
  await Promise.all(jobs);
  assert.deepEqual(order, ['low0', 'high2', 'normal1', 'normal3']);
  assert.equal(loaded.nJobs, 0);
});

test('a release waits for the job that runs and refuses what comes later', async () => {
  const { step, open } = gate();
  const loaded = await context();
  script.step = step;
  const running = loaded.transcribe(WAV);
  const waiting = loaded.transcribe(WAV);
  await turn();
  const refused = assert.rejects(waiting.promise, (error) => error instanceof wsp.WspError && error.code === 'released');
  let isReleased = false;
  const released = loaded.release().then(() => (isReleased = true));
  await turn();
  assert.deepEqual([isReleased, loaded.isReleased], [false, true]);
  assert.throws(() => loaded.transcribe(WAV), (error) => error instanceof wsp.WspError && error.code === 'released');
  assert.throws(() => loaded.tokenize('a'), { code: 'released' });
  open();
  await released;
  await refused;
  assert.equal((await running.promise).isCancelled, false);
  await loaded.release();
});
