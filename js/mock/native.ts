// A native module in JavaScript: keys, order of events, queues and errors as in the real one, texts from a script. The mock
// for jest and the package's own tests run on it. It reads no audio and computes nothing.
import {
  AUDIO_KEYS,
  BENCH_CALL_KEYS,
  CONTEXT_OPTIONS_KEYS,
  LANGUAGE_CALL_KEYS,
  SOURCE_KEYS,
  TRANSCRIBE_CALL_KEYS,
  VAD_CALL_KEYS,
} from '../src/generated/defaults.js';
import type {
  Audio,
  NativeContext,
  NativeModule,
  NativeVad,
  OnEvent,
  Segment,
  Source,
  TranscribeCall,
  Transcription,
} from '../src/generated/types.js';
import { nativeError, Queue, type IsCancelled } from './queue.js';
import { DEFAULT_SCRIPT, NO_STATS, type Script } from './script.js';

/** Wraps a method so that calls of it can be looked at, as jest.fn does. */
export type Spy = <Method extends (...given: never[]) => unknown>(method: Method) => Method;

/** A native module that answers by a script; changes of the script count from the next job on. */
export function createNative(script: Partial<Script> = {}, spy: Spy = (method) => method): NativeModule {
  // Read anew each time, so that a test may change its script.
  const told = (): Script => ({ ...DEFAULT_SCRIPT, ...script });
  return {
    contract: spy(() => told().contract),
    systemInfo: spy(() => told().system),
    languages: spy(() => [
      { code: 'en', name: 'english' },
      { code: 'de', name: 'german' },
    ]),
    estimateMemory: spy(async (path: string) => {
      requireSource({ path });
      return { weightsBytes: told().info.weightsBytes, stateBytes: told().info.stateBytes };
    }),
    openContext: spy(async (source: Source, options: object = {}) => {
      requireSource(source);
      requireKeys(options, CONTEXT_OPTIONS_KEYS, 'options');
      return createContext(told, spy);
    }),
    openVad: spy(async (source: Source) => {
      requireSource(source);
      return createVad(told, spy);
    }),
    setLog: spy(() => undefined),
  };
}

function createContext(told: () => Script, spy: Spy): NativeContext {
  const queue = new Queue();
  return {
    info: told().info,
    get isReleased() {
      return queue.isReleased;
    },
    get nJobs() {
      return queue.nJobs;
    },
    transcribe: spy((audio: Audio, options: TranscribeCall = {}, onEvent?: OnEvent) => {
      requireAudio(audio);
      requireKeys(options, TRANSCRIBE_CALL_KEYS, 'options');
      return queue.add((isCancelled) => transcribed(told(), options, isCancelled, onEvent), options.priority);
    }),
    detectLanguage: spy((audio: Audio, options: { priority?: 'low' | 'normal' | 'high' } = {}) => {
      requireAudio(audio);
      requireKeys(options, LANGUAGE_CALL_KEYS, 'options');
      return queue.add(async (isCancelled) => {
        const { language, step } = told();
        await step();
        return isCancelled()
          ? { probabilities: [], isCancelled: true }
          : { language, probability: 1, probabilities: [{ code: language, probability: 1 }], isCancelled: false };
      }, options.priority);
    }),
    bench: spy((options: { nThreads?: number } = {}) => {
      requireKeys(options, BENCH_CALL_KEYS, 'options');
      return queue.add(async (isCancelled) => {
        await told().step();
        const ms = isCancelled() ? 0 : 1;
        return {
          nThreads: options.nThreads ?? 1,
          encodeMs: ms,
          decodeMs: ms,
          batchedMs: ms,
          promptMs: ms,
          isCancelled: isCancelled(),
        };
      });
    }),
    tokenize: spy((text: string) => {
      queue.requireOpen();
      return Array.from(text, (_letter, index) => index);
    }),
    release: spy(() => queue.release()),
  };
}

function createVad(told: () => Script, spy: Spy): NativeVad {
  const queue = new Queue();
  return {
    get isReleased() {
      return queue.isReleased;
    },
    get nJobs() {
      return queue.nJobs;
    },
    detect: spy((audio: Audio, options: { priority?: 'low' | 'normal' | 'high'; probabilities?: boolean } = {}) => {
      requireAudio(audio);
      requireKeys(options, VAD_CALL_KEYS, 'options');
      return queue.add(async (isCancelled) => {
        const { speech, durationS, step } = told();
        await step();
        const segments = isCancelled() ? [] : speech;
        const found = { segments, durationS, isCancelled: isCancelled() };
        return options.probabilities === true ? { ...found, probabilities: segments.map(() => 1) } : found;
      }, options.priority);
    }),
    release: spy(() => queue.release()),
  };
}

async function transcribed(
  script: Script,
  options: TranscribeCall,
  isCancelled: IsCancelled,
  onEvent?: OnEvent,
): Promise<Transcription> {
  const segments: Segment[] = [];
  for (const [index, one] of script.segments.entries()) {
    await script.step();
    if (isCancelled()) {
      break;
    }
    const segment = asked(one, options);
    segments.push(segment);
    onEvent?.({ type: 'segments', segments: [segment], firstIndex: index });
    onEvent?.({ type: 'progress', progressPercent: Math.floor((100 * (index + 1)) / script.segments.length) });
  }
  const common = {
    text: segments.map((segment) => segment.text).join(''),
    segments,
    durationS: script.durationS,
    isCancelled: isCancelled(),
    speech: options.vad === true ? script.speech : [],
    stats: NO_STATS,
  };
  return segments.length === 0 ? common : { ...common, language: script.language, languageProbability: 1 };
}

function asked(segment: Segment, options: TranscribeCall): Segment {
  const { tokens, words, ...rest } = segment;
  return {
    ...rest,
    ...(options.tokens === true && tokens !== undefined ? { tokens } : {}),
    ...(options.words === true && words !== undefined ? { words } : {}),
  };
}

function requireKeys(options: object, keys: readonly string[], field: string): void {
  if (typeof options !== 'object' || options === null) {
    throw nativeError('invalid_argument', `${field} must be an object.`, field);
  }
  for (const key of Object.keys(options)) {
    if (!keys.includes(key)) {
      throw nativeError('unknown_option', `There is no option ${key}.`, `${field}.${key}`);
    }
  }
}

function requireSource(source: Source): void {
  requireKeys(source, SOURCE_KEYS, 'source');
  if ((source.path === undefined) === (source.data === undefined)) {
    throw nativeError('invalid_argument', 'source needs one of path and data.', 'source');
  }
}

function requireAudio(audio: Audio): void {
  requireKeys(audio, AUDIO_KEYS, 'audio');
  if ([audio.data, audio.path, audio.base64].filter((one) => one !== undefined).length !== 1) {
    throw nativeError('invalid_argument', 'audio needs one of data, path and base64.', 'audio');
  }
}
