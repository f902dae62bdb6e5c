// Generated from templates/ts/defaults.ts.j2 by `wsp generate`; do not edit.
//
// Keys of the objects that calls take, and their defaults. The native part has the same: these are to be shown.
import type {
  VadOptions,
  TranscribeOptions,
  Source,
  ContextOptions,
  Audio,
  TranscribeCall,
  LanguageCall,
  VadCall,
  BenchCall,
} from './types.js';

/** Every key of VadOptions. */
export const VAD_OPTIONS_KEYS = [
  'threshold',
  'minSpeechDurationMs',
  'minSilenceDurationMs',
  'maxSpeechDurationS',
  'speechPadMs',
  'samplesOverlap',
] as const satisfies readonly (keyof VadOptions)[];

/** What VadOptions stands for where a key is left out. */
export const VAD_OPTIONS_DEFAULTS = {
  threshold: 0.5,
  minSpeechDurationMs: 250,
  minSilenceDurationMs: 100,
  maxSpeechDurationS: 0,
  speechPadMs: 30,
  samplesOverlap: 0.1,
} as const satisfies VadOptions;

/** Every key of TranscribeOptions. */
export const TRANSCRIBE_OPTIONS_KEYS = [
  'language',
  'languageCandidates',
  'translate',
  'offsetMs',
  'durationMs',
  'noContext',
  'nMaxTextCtx',
  'initialPrompt',
  'carryInitialPrompt',
  'promptTokens',
  'noTimestamps',
  'singleSegment',
  'maxInitialTs',
  'maxLen',
  'splitOnWord',
  'tdrzEnable',
  'tokenTimestamps',
  'tholdPt',
  'tholdPtsum',
  'temperature',
  'beamSize',
  'patience',
  'bestOf',
  'seed',
  'lengthPenalty',
  'maxTokens',
  'suppressBlank',
  'suppressNst',
  'suppressRegex',
  'grammar',
  'grammarStart',
  'grammarPenalty',
  'temperatureInc',
  'entropyThold',
  'logprobThold',
  'compressionRatioThold',
  'noSpeechThold',
  'vad',
  'vadModelPath',
  'vadOptions',
  'nThreads',
  'nParts',
  'audioCtx',
] as const satisfies readonly (keyof TranscribeOptions)[];

/** What TranscribeOptions stands for where a key is left out. */
export const TRANSCRIBE_OPTIONS_DEFAULTS = {
  language: 'auto',
  languageCandidates: [],
  translate: false,
  offsetMs: 0,
  durationMs: 0,
  noContext: true,
  nMaxTextCtx: 16384,
  initialPrompt: '',
  carryInitialPrompt: false,
  promptTokens: [],
  noTimestamps: false,
  singleSegment: false,
  maxInitialTs: 1,
  maxLen: 0,
  splitOnWord: false,
  tdrzEnable: false,
  tokenTimestamps: false,
  tholdPt: 0.01,
  tholdPtsum: 0.01,
  temperature: 0,
  beamSize: 1,
  patience: -1,
  bestOf: 5,
  seed: 0,
  lengthPenalty: -1,
  maxTokens: 0,
  suppressBlank: true,
  suppressNst: true,
  suppressRegex: '',
  grammar: '',
  grammarStart: 'root',
  grammarPenalty: 100,
  temperatureInc: 0.2,
  entropyThold: 2.4,
  logprobThold: -1,
  compressionRatioThold: 0,
  noSpeechThold: 0.6,
  vad: false,
  vadModelPath: '',
  vadOptions: {},
  nThreads: 0,
  nParts: 1,
  audioCtx: 0,
} as const satisfies TranscribeOptions;

/** Every key of Source. */
export const SOURCE_KEYS = [
  'path',
  'data',
] as const satisfies readonly (keyof Source)[];

/** What Source stands for where a key is left out. */
export const SOURCE_DEFAULTS = {
} as const satisfies Source;

/** Every key of ContextOptions. */
export const CONTEXT_OPTIONS_KEYS = [
  'useGpu',
  'gpuDevice',
  'backend',
  'encoderPath',
  'dtw',
  'dtwNTop',
] as const satisfies readonly (keyof ContextOptions)[];

/** What ContextOptions stands for where a key is left out. */
export const CONTEXT_OPTIONS_DEFAULTS = {
  useGpu: true,
  gpuDevice: 0,
  backend: 'auto',
  encoderPath: '',
  dtw: 'none',
  dtwNTop: 0,
} as const satisfies ContextOptions;

/** Every key of Audio. */
export const AUDIO_KEYS = [
  'data',
  'path',
  'base64',
  'format',
  'sampleRateHz',
  'channels',
] as const satisfies readonly (keyof Audio)[];

/** What Audio stands for where a key is left out. */
export const AUDIO_DEFAULTS = {
  sampleRateHz: 16000,
  channels: 1,
} as const satisfies Audio;

/** Every key of TranscribeCall. */
export const TRANSCRIBE_CALL_KEYS = [
  'language',
  'languageCandidates',
  'translate',
  'offsetMs',
  'durationMs',
  'noContext',
  'nMaxTextCtx',
  'initialPrompt',
  'carryInitialPrompt',
  'promptTokens',
  'noTimestamps',
  'singleSegment',
  'maxInitialTs',
  'maxLen',
  'splitOnWord',
  'tdrzEnable',
  'tokenTimestamps',
  'tholdPt',
  'tholdPtsum',
  'temperature',
  'beamSize',
  'patience',
  'bestOf',
  'seed',
  'lengthPenalty',
  'maxTokens',
  'suppressBlank',
  'suppressNst',
  'suppressRegex',
  'grammar',
  'grammarStart',
  'grammarPenalty',
  'temperatureInc',
  'entropyThold',
  'logprobThold',
  'compressionRatioThold',
  'noSpeechThold',
  'vad',
  'vadModelPath',
  'vadOptions',
  'nThreads',
  'nParts',
  'audioCtx',
  'priority',
  'tokens',
  'words',
] as const satisfies readonly (keyof TranscribeCall)[];

/** What TranscribeCall stands for where a key is left out. */
export const TRANSCRIBE_CALL_DEFAULTS = {
  language: 'auto',
  languageCandidates: [],
  translate: false,
  offsetMs: 0,
  durationMs: 0,
  noContext: true,
  nMaxTextCtx: 16384,
  initialPrompt: '',
  carryInitialPrompt: false,
  promptTokens: [],
  noTimestamps: false,
  singleSegment: false,
  maxInitialTs: 1,
  maxLen: 0,
  splitOnWord: false,
  tdrzEnable: false,
  tokenTimestamps: false,
  tholdPt: 0.01,
  tholdPtsum: 0.01,
  temperature: 0,
  beamSize: 1,
  patience: -1,
  bestOf: 5,
  seed: 0,
  lengthPenalty: -1,
  maxTokens: 0,
  suppressBlank: true,
  suppressNst: true,
  suppressRegex: '',
  grammar: '',
  grammarStart: 'root',
  grammarPenalty: 100,
  temperatureInc: 0.2,
  entropyThold: 2.4,
  logprobThold: -1,
  compressionRatioThold: 0,
  noSpeechThold: 0.6,
  vad: false,
  vadModelPath: '',
  vadOptions: {},
  nThreads: 0,
  nParts: 1,
  audioCtx: 0,
  priority: 'normal',
  tokens: false,
  words: false,
} as const satisfies TranscribeCall;

/** Every key of LanguageCall. */
export const LANGUAGE_CALL_KEYS = [
  'priority',
  'offsetMs',
  'nThreads',
] as const satisfies readonly (keyof LanguageCall)[];

/** What LanguageCall stands for where a key is left out. */
export const LANGUAGE_CALL_DEFAULTS = {
  priority: 'normal',
  offsetMs: 0,
  nThreads: 0,
} as const satisfies LanguageCall;

/** Every key of VadCall. */
export const VAD_CALL_KEYS = [
  'threshold',
  'minSpeechDurationMs',
  'minSilenceDurationMs',
  'maxSpeechDurationS',
  'speechPadMs',
  'samplesOverlap',
  'priority',
  'probabilities',
] as const satisfies readonly (keyof VadCall)[];

/** What VadCall stands for where a key is left out. */
export const VAD_CALL_DEFAULTS = {
  threshold: 0.5,
  minSpeechDurationMs: 250,
  minSilenceDurationMs: 100,
  maxSpeechDurationS: 0,
  speechPadMs: 30,
  samplesOverlap: 0.1,
  priority: 'normal',
  probabilities: false,
} as const satisfies VadCall;

/** Every key of BenchCall. */
export const BENCH_CALL_KEYS = [
  'nThreads',
] as const satisfies readonly (keyof BenchCall)[];

/** What BenchCall stands for where a key is left out. */
export const BENCH_CALL_DEFAULTS = {
  nThreads: 0,
} as const satisfies BenchCall;
