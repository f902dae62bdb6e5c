// whisper.rn's contexts of Whisper models, on top of ours.
import { optionsOf, requireCallback } from '../arguments.js';
import { loadModel, type Context } from '../context.js';
import { readAsset, type AudioInput, type ModelInput } from '../inputs.js';
import type { TranscriptionJob } from '../transcription_job.js';
import { systemInfo } from '../system.js';
import { fileAudio, rawAudio, renamed, textOf, toCall, toResult, toSegments } from './options.js';
import { startTask } from './task.js';
import type { BenchResult, ContextOptions, TranscribeFileOptions, TranscribeResult, TranscribeTask } from './types.js';

const open = new Set<WhisperContext>();
let lastId = 0;

/** A loaded model. initWhisper makes one. */
export class WhisperContext {
  /** The same as id: no pointer crosses into JavaScript here. */
  readonly ptr: number;
  /** Number of the context, from 1. */
  readonly id: number;
  /** A GPU computes. */
  readonly gpu: boolean;
  /** Why none does; empty if one does. */
  readonly reasonNoGPU: string;
  private readonly context: Context;

  constructor(context: Context) {
    this.context = context;
    this.id = lastId += 1;
    this.ptr = this.id;
    this.gpu = context.info.usesGpu;
    this.reasonNoGPU = this.gpu ? '' : context.info.backendReason;
  }

  /** Transcribes a WAV file: a path, a file URL, an asset, or `data:audio/wav;base64,`. Calls may overlap: they queue. */
  transcribe(filePathOrBase64: string | number, options?: TranscribeFileOptions): TranscribeTask {
    return this.run(
      typeof filePathOrBase64 === 'number' ? wavAsset(filePathOrBase64) : fileAudio(filePathOrBase64),
      options,
    );
  }

  /** Transcribes samples of one channel at 16 kHz: 16-bit as base64 or in a buffer, or a Float32Array or Int16Array. */
  transcribeData(data: string | ArrayBuffer | ArrayBufferView, options?: TranscribeFileOptions): TranscribeTask {
    return this.run(rawAudio(data), options);
  }

  /** Measures the speed. */
  async bench(maxThreads: number): Promise<BenchResult> {
    const { nThreads, encodeMs, decodeMs, batchedMs, promptMs } = await this.context.bench({ nThreads: maxThreads }).promise;
    return { config: systemInfo().description, nThreads, encodeMs, decodeMs, batchMs: batchedMs, promptMs };
  }

  /** Frees the model when the running call has ended; a second call waits for the same. */
  async release(): Promise<void> {
    open.delete(this);
    await this.context.release();
  }

  private run(audio: AudioInput | Promise<AudioInput>, given?: TranscribeFileOptions): TranscribeTask<TranscribeResult> {
    const options = optionsOf(given);
    const { onNewSegments, onProgress } = options;
    requireCallback(onNewSegments, 'options.onNewSegments');
    const call = {
      ...toCall(options),
      onProgress,
      onSegments: onNewSegments && ((added, firstIndex) => {
        const segments = toSegments(added);
        onNewSegments({ nNew: added.length, totalNNew: firstIndex + added.length, result: textOf(segments), segments });
      }),
    } satisfies Parameters<Context['transcribe']>[1];
    const start = (ready: AudioInput): TranscriptionJob => {
      try {
        return this.context.transcribe(ready, call);
      } catch (error) {
        throw renamed(error);
      }
    };
    return startTask(audio, start, toResult);
  }
}

/** Loads a model. Errors: those of loadModel. */
export async function initWhisper(options: ContextOptions): Promise<WhisperContext> {
  const { useGpu = true, useCoreMLIos = true } = optionsOf(options);
  // Without Core ML the encoder, too, runs on what decodes.
  const backend = useCoreMLIos ? 'auto' : useGpu ? 'metal' : 'cpu';
  const context = new WhisperContext(await loadModel(modelFile(options), { useGpu, backend }));
  open.add(context);
  return context;
}

/** Releases all contexts that initWhisper made. */
export async function releaseAllWhisper(): Promise<void> {
  await Promise.all([...open].map((context) => context.release()));
}

/** The model that filePath names. */
export function modelFile(options: { filePath: string | number; isBundleAsset?: boolean | undefined }): ModelInput {
  const { filePath, isBundleAsset } = optionsOf(options);
  if (isBundleAsset === true && typeof filePath === 'string') {
    return `asset://${filePath}`;
  }
  // Whatever else it is, the native part says what is wrong with it.
  return filePath as ModelInput;
}

/** A WAV file that was required. */
export async function wavAsset(asset: number): Promise<AudioInput> {
  const found = await readAsset(asset);
  return 'data' in found ? { ...found, format: 'wav' } : found;
}
