// whisper.rn's contexts of voice activity models, on top of ours.
import { loadVad, type VadContext } from '../vad.js';
import type { AudioInput } from '../inputs.js';
import { modelFile, wavAsset } from './context.js';
import { fileAudio, rawAudio, toTicks } from './options.js';
import type { VadContextOptions, VadOptions, VadSegment } from './types.js';

const open = new Set<WhisperVadContext>();
let lastId = 0;

/** A loaded voice activity model. initWhisperVad makes one. */
export class WhisperVadContext {
  /** Number of the context, from 1. */
  readonly id: number;
  /** False: the model is too small for a GPU. */
  readonly gpu: boolean = false;
  /** Why no GPU computes. */
  readonly reasonNoGPU: string = 'Voice activity detection runs on the CPU.';
  private readonly context: VadContext;

  constructor(context: VadContext) {
    this.context = context;
    this.id = lastId += 1;
  }

  /** Where somebody speaks in a WAV file: a path, a file URL, an asset, or `data:audio/wav;base64,`. */
  async detectSpeech(filePathOrBase64: string | number, options?: VadOptions): Promise<VadSegment[]> {
    return this.run(
      typeof filePathOrBase64 === 'number' ? await wavAsset(filePathOrBase64) : fileAudio(filePathOrBase64),
      options,
    );
  }

  /** Where somebody speaks in samples: as transcribeData takes them. */
  async detectSpeechData(audioData: string | ArrayBuffer | ArrayBufferView, options?: VadOptions): Promise<VadSegment[]> {
    return this.run(rawAudio(audioData), options);
  }

  /** Frees the model when the running call has ended; a second call waits for the same. */
  async release(): Promise<void> {
    open.delete(this);
    await this.context.release();
  }

  private async run(audio: AudioInput, options?: VadOptions): Promise<VadSegment[]> {
    const { segments } = await this.context.detect(audio, options).promise;
    return segments.map((segment) => ({ t0: toTicks(segment.startS), t1: toTicks(segment.endS) }));
  }
}

/** Loads a voice activity model. Errors: those of loadVad. */
export async function initWhisperVad(options: VadContextOptions): Promise<WhisperVadContext> {
  const context = new WhisperVadContext(await loadVad(modelFile(options)));
  open.add(context);
  return context;
}

/** Releases all contexts that initWhisperVad made. */
export async function releaseAllWhisperVad(): Promise<void> {
  await Promise.all([...open].map((context) => context.release()));
}
