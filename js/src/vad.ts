// Voice activity detection: where somebody speaks.
import { optionsOf, requireSignal } from './arguments.js';
import { typedRejections, withTypedErrors } from './errors.js';
import type { NativeVad, SpeechDetection, VadCall } from './generated/types.js';
import { toAudio, toSource, type AudioInput, type ModelInput } from './inputs.js';
import { Job, type Abortable } from './job.js';
import { native } from './native.js';

/** What counts as speech. */
export interface DetectionOptions extends VadCall, Abortable {}

/** Loads a voice activity model. Errors: those of NativeModule.openVad, not_linked, contract_mismatch; io for an asset. */
export async function loadVad(model: ModelInput): Promise<VadContext> {
  const module = native();
  const source = await toSource(model);
  return new VadContext(await typedRejections(module.openVad(source)));
}

/** A loaded voice activity model with its queue. */
export class VadContext {
  private readonly handle: NativeVad;

  constructor(handle: NativeVad) {
    this.handle = handle;
  }

  /** release was called. */
  get isReleased(): boolean {
    return this.handle.isReleased;
  }

  /** Jobs that wait or run. */
  get nJobs(): number {
    return this.handle.nJobs;
  }

  /** Queues a detection of speech. Errors: those of NativeVad.detect. */
  detect(audio: AudioInput, options?: DetectionOptions): Job<SpeechDetection> {
    const { signal, ...call } = optionsOf(options);
    requireSignal(signal);
    return new Job(withTypedErrors(() => this.handle.detect(toAudio(audio), call)), signal);
  }

  /** Frees the model when the running job has ended; waiting jobs are refused with released. */
  async release(): Promise<void> {
    await typedRejections(this.handle.release());
  }
}
