// Types of whisper.rn's realtime transcription, by its names, and its presets of voice activity detection.
import type { VadOptions } from '../generated/types.js';
import type { ParakeetTranscribeOptions, TranscribeOptions, TranscribeResult, TranscribeTask } from '../whisper_rn/types.js';

/** Bytes from a microphone. */
export interface AudioStreamData {
  data: Uint8Array;
  sampleRate: number;
  channels: number;
  /** Of the clock on the wall, in ms. */
  timestamp: number;
}

/** What a microphone is asked for. */
export interface AudioStreamConfig {
  sampleRate?: number | undefined;
  channels?: number | undefined;
  bitsPerSample?: number | undefined;
  bufferSize?: number | undefined;
  audioSource?: number | undefined;
}

/** A source of audio. */
export interface AudioStreamInterface {
  initialize(config: AudioStreamConfig): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
  isRecording(): boolean;
  onData(callback: (data: AudioStreamData) => void): void;
  onError(callback: (error: string) => void): void;
  onStatusChange(callback: (isRecording: boolean) => void): void;
  onEnd?(callback: () => void): void;
  release(): Promise<void>;
}

/** What a writer of WAV files needs of a file system. */
export interface WavFileWriterFs {
  writeFile(filePath: string, data: string, encoding: string): Promise<void>;
  appendFile(filePath: string, data: string, encoding: string): Promise<void>;
  readFile(filePath: string, encoding: string): Promise<string>;
  exists(filePath: string): Promise<boolean>;
  unlink(filePath: string): Promise<void>;
}

/** Speech begins, goes on or ends. */
export interface RealtimeVadEvent {
  type: 'speech_start' | 'speech_end' | 'speech_continue' | 'silence';
  timestamp: number;
  lastSpeechDetectedTime: number;
  confidence: number;
  duration: number;
  sliceIndex: number;
  analysis?: { averageAmplitude: number; peakAmplitude: number; spectralCentroid?: number; zeroCrossingRate?: number };
  currentThreshold?: number;
  environmentNoise?: number;
}

/** A slice was transcribed. */
export interface RealtimeTranscribeEvent {
  type: 'start' | 'transcribe' | 'end' | 'error';
  sliceIndex: number;
  data?: TranscribeResult;
  isCapturing: boolean;
  processTime: number;
  recordingTime: number;
  memoryUsage?: MemoryUsage;
  vadEvent?: RealtimeVadEvent;
}

/** How realtime transcription works. */
export interface RealtimeOptions {
  audioSliceSec?: number | undefined;
  audioMinSec?: number | undefined;
  maxSlicesInMemory?: number | undefined;
  transcribeOptions?: TranscribeOptions | ParakeetTranscribeOptions | undefined;
  initialPrompt?: string | undefined;
  promptPreviousSlices?: boolean | undefined;
  audioOutputPath?: string | undefined;
  audioStreamConfig?: AudioStreamConfig | undefined;
  logger?: ((message: string) => void) | undefined;
  realtimeProcessingPauseMs?: number | undefined;
  initRealtimeAfterMs?: number | undefined;
}

/** A stretch of recorded audio without its bytes. */
export interface AudioSliceNoData {
  index: number;
  sampleCount: number;
  startTime: number;
  endTime: number;
  isProcessed: boolean;
  isReleased: boolean;
}

/** A stretch of recorded audio. */
export interface AudioSlice extends AudioSliceNoData {
  data: Uint8Array;
}

/** What slices take. */
export interface MemoryUsage {
  slicesInMemory: number;
  totalSamples: number;
  estimatedMB: number;
}

/** Figures of a running transcription. */
export interface RealtimeStatsEvent {
  timestamp: number;
  type: 'slice_processed' | 'vad_change' | 'memory_change' | 'status_change';
  data: {
    isActive: boolean;
    isTranscribing: boolean;
    vadEnabled: boolean;
    audioStats: unknown;
    vadStats: unknown;
    sliceStats: unknown;
  };
}

/** Who hears of realtime transcription. */
export interface RealtimeTranscriberCallbacks {
  onBeginTranscribe?: (slice: {
    audioData: Uint8Array;
    sliceIndex: number;
    duration: number;
    vadEvent?: RealtimeVadEvent;
  }) => Promise<boolean>;
  onTranscribe?: (event: RealtimeTranscribeEvent) => void;
  onBeginVad?: (slice: { audioData: Uint8Array; sliceIndex: number; duration: number }) => Promise<boolean>;
  onVad?: (event: RealtimeVadEvent) => void;
  onError?: (error: string) => void;
  onStatusChange?: (isActive: boolean) => void;
  onStatsUpdate?: (event: RealtimeStatsEvent) => void;
  onSliceTranscriptionStabilized?: (text: string) => void;
}

/** What transcribes slices. */
export interface WhisperContextLike {
  transcribeData(data: ArrayBuffer, options: TranscribeOptions): TranscribeTask;
}

/** What would transcribe slices with Parakeet. */
export interface ParakeetContextLike {
  transcribeData(data: ArrayBuffer, options: ParakeetTranscribeOptions): TranscribeTask;
}

/** What finds speech in a buffer. */
export interface WhisperVadContextLike {
  detectSpeechData(data: ArrayBuffer, options: VadOptions): Promise<Array<{ t0: number; t1: number }>>;
}

/** What finds speech in a stream. */
export interface RealtimeVadContextLike {
  processAudio(data: Uint8Array): void;
  onSpeechStart: (callback: (confidence: number, data: Uint8Array) => void) => void;
  onSpeechContinue: (callback: (confidence: number, data: Uint8Array) => void) => void;
  onSpeechEnd: (callback: (confidence: number) => void) => void;
  onError: (callback: (error: string) => void) => void;
  updateOptions(options: Partial<VadOptions>): void;
  flush(): Promise<void>;
  reset(): Promise<void>;
}

/** What realtime transcription is made of. */
export type RealtimeTranscriberDependencies = {
  vadContext?: RealtimeVadContextLike | WhisperVadContextLike;
  audioStream: AudioStreamInterface;
  fs?: WavFileWriterFs;
} & (
  | { whisperContext: WhisperContextLike; parakeetContext?: never }
  | { parakeetContext: ParakeetContextLike; whisperContext?: never }
);

/** How speech is found in a stream. */
export interface RingBufferVadOptions {
  vadOptions?: VadOptions | undefined;
  vadPreset?: keyof typeof VAD_PRESETS | undefined;
  preRecordingBufferMs?: number | undefined;
  sampleRate?: number | undefined;
  inferenceIntervalMs?: number | undefined;
  speechRateThreshold?: number | undefined;
  logger?: ((message: string) => void) | undefined;
}

const DEFAULT = {
  threshold: 0.5,
  minSpeechDurationMs: 250,
  minSilenceDurationMs: 100,
  maxSpeechDurationS: 30,
  speechPadMs: 30,
  samplesOverlap: 0.1,
};
const SENSITIVE = {
  ...DEFAULT,
  threshold: 0.3,
  minSpeechDurationMs: 100,
  minSilenceDurationMs: 50,
  maxSpeechDurationS: 15,
  speechPadMs: 50,
  samplesOverlap: 0.2,
};
const CONSERVATIVE = {
  ...DEFAULT,
  threshold: 0.7,
  minSpeechDurationMs: 500,
  minSilenceDurationMs: 200,
  maxSpeechDurationS: 25,
  speechPadMs: 20,
  samplesOverlap: 0.05,
};

/** Options of voice activity detection by the place where they suit. */
export const VAD_PRESETS = {
  default: DEFAULT,
  sensitive: SENSITIVE,
  'very-sensitive': { ...SENSITIVE, threshold: 0.2, speechPadMs: 100, samplesOverlap: 0.3 },
  conservative: CONSERVATIVE,
  'very-conservative': {
    ...CONSERVATIVE,
    threshold: 0.8,
    minSpeechDurationMs: 750,
    minSilenceDurationMs: 300,
    maxSpeechDurationS: 20,
    speechPadMs: 10,
  },
  continuous: {
    ...DEFAULT,
    threshold: 0.4,
    minSpeechDurationMs: 200,
    minSilenceDurationMs: 300,
    maxSpeechDurationS: 60,
    speechPadMs: 50,
    samplesOverlap: 0.15,
  },
  meeting: {
    ...DEFAULT,
    threshold: 0.45,
    minSpeechDurationMs: 300,
    minSilenceDurationMs: 150,
    maxSpeechDurationS: 45,
    speechPadMs: 75,
    samplesOverlap: 0.2,
  },
  noisy: { ...DEFAULT, threshold: 0.75, minSpeechDurationMs: 400, maxSpeechDurationS: 25, speechPadMs: 40 },
} satisfies Record<string, Required<VadOptions>>;
