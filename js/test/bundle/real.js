// A program on the API of wsp.rn that only the real native part can answer: figures of a model, events of a running job, aborts
// in its middle, the queue, errors of the core.
import { estimateMemory, loadModel, loadVad, systemInfo, WspError } from 'wsp.rn';

/** What a call throws, or its promise rejects with, in a line. */
async function failure(call) {
  try {
    await call();
  } catch (error) {
    return [error instanceof WspError, error.name, error.code, error.field ?? null];
  }
  return ['nothing was thrown'];
}

/** The platform's AbortController, in little: this engine has none. */
function abortController() {
  const listeners = new Set();
  const signal = {
    aborted: false,
    addEventListener: (_type, listener) => listeners.add(listener),
    removeEventListener: (_type, listener) => listeners.delete(listener),
  };
  const abort = () => {
    signal.aborted = true;
    listeners.forEach((listener) => listener());
  };
  return { signal, abort, listeners };
}

/** files: {model, audio, vadModel}, paths. */
export async function realProgram(files) {
  const memory = await estimateMemory(files.model);
  const context = await loadModel(files.model);
  const heard = [];
  const job = context.transcribe(files.audio, {
    language: 'en',
    tokens: true,
    words: true,
    onProgress: (percent) => heard.push(percent),
    onSegments: (segments, firstIndex) => heard.push([firstIndex, segments.length]),
  });
  const iterated = [];
  for await (const segment of job) {
    iterated.push(segment);
  }
  const { text, segments, language, languageProbability, durationS } = await job.promise;

  // Aborted when it tells of its first step: whatever it has by then is in the error.
  const { signal, abort, listeners } = abortController();
  const aborted = await failure(() => context.transcribe(files.audio, { signal, onProgress: abort }).promise);

  const order = [];
  const queued = ['normal', 'low', 'normal', 'high'].map((priority, index) => {
    const options = { priority, durationMs: 200 };
    return context.transcribe(files.audio, options).promise.then(() => order.push(index));
  });
  const nQueued = context.nJobs;
  await Promise.all(queued);

  const vad = await loadVad(files.vadModel);
  const speech = await vad.detect(files.audio, { probabilities: true }).promise;
  await vad.release();

  const refused = {
    option: await failure(() => context.transcribe(files.audio, { beamsize: 5 })),
    range: await failure(() => context.transcribe(files.audio, { beamSize: 99 })),
    missing: await failure(() => loadModel('/no/such/model.bin')),
    format: await failure(() => loadModel(files.audio)),
    audio: await failure(() => context.transcribe('/no/such/speech.wav').promise),
    language: await failure(() => context.detectLanguage(files.audio).promise),
  };
  const tokens = context.tokenize(' boat').length;

  let running;
  await new Promise((begun) => {
    running = context.transcribe(files.audio, { onProgress: begun });
  });
  const waiting = failure(() => context.transcribe(files.audio).promise);
  await context.release();
  return {
    memory: memory.weightsBytes === context.info.weightsBytes && memory.stateBytes > 0,
    version: systemInfo().version.split('.').length,
    text,
    same: JSON.stringify(iterated) === JSON.stringify(segments),
    words: segments.flatMap((segment) => segment.words).map((word) => word.text).join(''),
    probable: segments[0].tokens.every(({ probability }) => probability >= 0 && probability <= 1),
    language: [language, languageProbability],
    durationS,
    heard,
    aborted,
    listeners: listeners.size,
    order,
    nQueued,
    speech: [speech.segments.length, speech.probabilities.length > 100],
    refused,
    tokens,
    running: typeof (await running.promise).text,
    waiting: await waiting,
    isReleased: context.isReleased,
  };
}
