// All that the package exports: the API of wsp.rn, and whisper.rn's names beside it. Types that both have under one name are
// whisper.rn's; ours have another here (TranscriptionOptions, LoadOptions, Benchmark).
export {
  Context,
  estimateMemory,
  loadModel,
  type BenchmarkOptions,
  type LanguageOptions,
} from './context.js';
export { AbortError, NotYetError, WspError, type ErrorDetails } from './errors.js';
export {
  CONTEXT_OPTIONS_DEFAULTS as LOAD_DEFAULTS,
  TRANSCRIBE_CALL_DEFAULTS as TRANSCRIPTION_DEFAULTS,
  VAD_CALL_DEFAULTS as DETECTION_DEFAULTS,
} from './generated/defaults.js';
export { ERROR_CODES, type ErrorCode } from './generated/errors.js';
export type {
  AlignmentModel,
  Audio,
  AudioFormat,
  BenchResult as Benchmark,
  ContextOptions as LoadOptions,
  Language,
  LanguageDetection,
  LanguageProbability,
  LogLevel,
  MemoryEstimate,
  ModelInfo,
  OnLog,
  Priority,
  Segment,
  Source,
  SpeechDetection,
  SpeechSegment,
  Stats,
  SystemInfo,
  Token,
  Transcription,
  Word,
} from './generated/types.js';
export { readAsset, type AudioInput, type ModelInput } from './inputs.js';
export { Job, type AbortSignalLike, type Abortable } from './job.js';
export { languages, setLog, systemInfo } from './system.js';
export { TranscriptionJob, type TranscriptionOptions } from './transcription_job.js';
export { speakerTurns, type Turn } from './turns.js';
export { loadVad, VadContext, type DetectionOptions } from './vad.js';
export * from './whisper_rn/index.js';
export { toJson, toSrt, toVtt, type SubtitleOptions } from './writers.js';
