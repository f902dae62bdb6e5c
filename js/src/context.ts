// A loaded model, and how to load one.
import { optionsOf, requireSignal } from './arguments.js';
import { typedRejections, withTypedErrors } from './errors.js';
import type {
  BenchCall,
  BenchResult,
  ContextOptions,
  LanguageCall,
  LanguageDetection,
  MemoryEstimate,
  ModelInfo,
  NativeContext,
} from './generated/types.js';
import { localPath, toAudio, toSource, type AudioInput, type ModelInput } from './inputs.js';
import { Job, type Abortable } from './job.js';
import { native, requireMethod } from './native.js';
import { TranscriptionJob, type TranscriptionOptions } from './transcription_job.js';

/** How the language is detected. */
export interface LanguageOptions extends LanguageCall, Abortable {}

/** What is measured. */
export interface BenchmarkOptions extends BenchCall, Abortable {}

/** Loads a model. Errors: those of NativeModule.openContext, not_linked, contract_mismatch; io for an asset. */
export async function loadModel(model: ModelInput, options?: ContextOptions): Promise<Context> {
  const module = native();
  const source = await toSource(model);
  return new Context(await typedRejections(module.openContext(source, optionsOf(options))));
}

/** What loading a model file would take, without loading it. Errors: those of NativeModule.estimateMemory. */
export async function estimateMemory(path: string): Promise<MemoryEstimate> {
  return typedRejections(native().estimateMemory(localPath(path, 'path')));
}

/**
 * A loaded model with a queue: calls may overlap, jobs run one at a time, in the order of their priorities and calls.
 * Wrong arguments are thrown at once; what happens later rejects the job's promise.
 */
export class Context {
  /** The model, and what computes it; it stays after the release. */
  readonly info: ModelInfo;
  private readonly handle: NativeContext;

  constructor(handle: NativeContext) {
    this.handle = handle;
    this.info = handle.info;
  }

  /** release was called. */
  get isReleased(): boolean {
    return this.handle.isReleased;
  }

  /** Jobs that wait or run. */
  get nJobs(): number {
    return this.handle.nJobs;
  }

  /** Queues a transcription. Errors: those of NativeContext.transcribe. */
  transcribe(audio: AudioInput, options?: TranscriptionOptions): TranscriptionJob {
    return TranscriptionJob.start(this.handle, toAudio(audio), optionsOf(options));
  }

  /** Queues a detection of the language. Errors: those of NativeContext.detectLanguage. */
  detectLanguage(audio: AudioInput, options?: LanguageOptions): Job<LanguageDetection> {
    requireMethod(this.handle, 'detectLanguage');
    const { signal, ...call } = optionsOf(options);
    requireSignal(signal);
    return new Job(withTypedErrors(() => this.handle.detectLanguage(toAudio(audio), call)), signal);
  }

  /** Queues a measurement of the speed, without audio. Errors: those of NativeContext.bench. */
  bench(options?: BenchmarkOptions): Job<BenchResult> {
    requireMethod(this.handle, 'bench');
    const { signal, ...call } = optionsOf(options);
    requireSignal(signal);
    return new Job(withTypedErrors(() => this.handle.bench(call)), signal);
  }

  /** The tokens of a text, for promptTokens. Errors: invalid_argument, released. */
  tokenize(text: string): readonly number[] {
    requireMethod(this.handle, 'tokenize');
    return withTypedErrors(() => this.handle.tokenize(text));
  }

  /** Frees the model when the running job has ended; waiting jobs are refused with released. */
  async release(): Promise<void> {
    await typedRejections(this.handle.release());
  }
}
