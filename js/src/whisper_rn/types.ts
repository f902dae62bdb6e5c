// Types of whisper.rn 0.7.4, by its names and in its units: times of results count 10 ms.
import type { VadOptions } from '../generated/types.js';

export type { VadOptions };

/** How a recording is transcribed. */
export interface TranscribeOptions {
  /** Code or English name of the spoken language. Default: 'auto', which detects it. */
  language?: string | undefined;
  /** Translate into English. Default: false. */
  translate?: boolean | undefined;
  /** Threads. Default: 4, or as many as the processor has if those are fewer. */
  maxThreads?: number | undefined;
  /** Parts of the recording that are transcribed at the same time. Default: 1. */
  nProcessors?: number | undefined;
  /** Tokens of earlier text that the decoder sees. Default: what the model takes. */
  maxContext?: number | undefined;
  /** Length of a segment in characters. Default: 0, no limit. */
  maxLen?: number | undefined;
  /** Compute times of tokens, by which maxLen cuts. Default: false. */
  tokenTimestamps?: boolean | undefined;
  /** Mark turns of speakers in the text; it needs a tinydiarize model. Default: false. */
  tdrzEnable?: boolean | undefined;
  /** Least probability of a timestamp token that a token's time is taken from. Default: 0.01. */
  wordThold?: number | undefined;
  /** Start this far into the recording, in ms. Default: 0. */
  offset?: number | undefined;
  /** Transcribe this much, in ms. Default: 0, to the end. */
  duration?: number | undefined;
  /** Temperature of the first attempt. Default: 0. */
  temperature?: number | undefined;
  /** What each further attempt adds to it. Default: 0.2. */
  temperatureInc?: number | undefined;
  /** Beams of the search. Default: none, greedy decoding. */
  beamSize?: number | undefined;
  /** Texts that are drawn at temperatures above 0. Default: 5. */
  bestOf?: number | undefined;
  /** Text that is taken as said before the recording. */
  prompt?: string | undefined;
}

/** The text of a recording. */
export interface TranscribeResult {
  /** All texts in a row. */
  result: string;
  /** Code of the language; empty where nothing was decoded. */
  language: string;
  /** t0 and t1 in units of 10 ms. */
  segments: Array<{ text: string; t0: number; t1: number }>;
  /** It was stopped, and this is what there is. */
  isAborted: boolean;
}

/** Segments that were added. */
export interface TranscribeNewSegmentsResult {
  /** How many. */
  nNew: number;
  /** How many there are in all. */
  totalNNew: number;
  /** The texts of the new ones in a row. */
  result: string;
  /** The new ones. */
  segments: TranscribeResult['segments'];
}

/** Options, and who hears of a transcription. */
export interface TranscribeFileOptions extends TranscribeOptions {
  /** From 0 to 100; 100 comes once, at the end, unless it was stopped. */
  onProgress?: ((progress: number) => void) | undefined;
  /** Hears of new segments. */
  onNewSegments?: ((result: TranscribeNewSegmentsResult) => void) | undefined;
}

/** A call that runs. */
export interface TranscribeTask<Result = TranscribeResult> {
  /** Stops this call and no other; resolves when it has ended. */
  stop: () => Promise<void>;
  /** Resolves with what there is, also when it was stopped. */
  promise: Promise<Result>;
}

/** Speed of a model. */
export interface BenchResult {
  /** Back-ends and features of the processor. */
  config: string;
  nThreads: number;
  /** Of one window of 30 s. */
  encodeMs: number;
  /** Of one token. */
  decodeMs: number;
  /** Of one token in steps of 5. */
  batchMs: number;
  /** Of one token in steps of 256. */
  promptMs: number;
}

/** How a model is loaded. */
export interface ContextOptions {
  /** Path, file URL, or what require() gave for an asset. */
  filePath: string | number;
  /** Taken, and without effect: the encoder is what lies beside the model, as in whisper.rn's own releases. */
  coreMLModelAsset?: { filename: string; assets: string[] | number[] } | undefined;
  /** The path names a file that the app ships: below Android's assets, or among the resources of the target on iOS. */
  isBundleAsset?: boolean | undefined;
  /** Let Core ML encode where its encoder lies beside the model, also with a GPU. Default: true. */
  useCoreMLIos?: boolean | undefined;
  /** Use a GPU where one is built in and works. Default: true. */
  useGpu?: boolean | undefined;
  /** Taken, and without effect: the core chooses how attention is computed. */
  useFlashAttn?: boolean | undefined;
}

/** How a voice activity model is loaded. */
export interface VadContextOptions {
  /** Path, file URL, or what require() gave for an asset. */
  filePath: string | number;
  /** The path names a file that the app ships: below Android's assets, or among the resources of the target on iOS. */
  isBundleAsset?: boolean | undefined;
  /** Taken, and without effect: the model is too small for a GPU. */
  useGpu?: boolean | undefined;
  /** Taken, and without effect: the model runs on one thread. */
  nThreads?: number | undefined;
}

/** A stretch of speech, in units of 10 ms. */
export interface VadSegment {
  t0: number;
  t1: number;
}

/** How a Parakeet model would be loaded. */
export interface ParakeetContextOptions {
  filePath: string | number;
  isBundleAsset?: boolean | undefined;
  useGpu?: boolean | undefined;
}

/** How Parakeet would transcribe. */
export interface ParakeetTranscribeOptions {
  maxThreads?: number | undefined;
  audioCtx?: number | undefined;
}
