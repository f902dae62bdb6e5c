// All that whisper.rn 0.7.4 exports, by its names: see docs/guides/migrating-from-whisper-rn.md for what differs.
export { initWhisper, releaseAllWhisper, WhisperContext } from './context.js';
export { initParakeet, ParakeetContext, releaseAllParakeet } from './parakeet.js';
export {
  addNativeLogListener,
  installJsi,
  isCoreMLAllowFallback,
  isUseCoreML,
  libVersion,
  toggleNativeLog,
  type NativeLogListener,
} from './system.js';
export type {
  BenchResult,
  ContextOptions,
  ParakeetContextOptions,
  ParakeetTranscribeOptions,
  TranscribeFileOptions,
  TranscribeNewSegmentsResult,
  TranscribeOptions,
  TranscribeResult,
  TranscribeTask,
  VadContextOptions,
  VadOptions,
  VadSegment,
} from './types.js';
export { initWhisperVad, releaseAllWhisperVad, WhisperVadContext } from './vad.js';
