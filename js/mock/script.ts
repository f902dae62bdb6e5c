// What the mock of the native part answers: one recording's text, and a few figures.
import { CONTRACT } from '../src/generated/contract.js';
import type { ModelInfo, Segment, SpeechSegment, Stats, SystemInfo } from '../src/generated/types.js';

/** Answers of a mock, each of which can be replaced. */
export interface Script {
  /** What every recording says. */
  segments: readonly Segment[];
  /** Code of its language. */
  language: string;
  /** Where somebody speaks. */
  speech: readonly SpeechSegment[];
  /** Length of every recording, in seconds. */
  durationS: number;
  info: ModelInfo;
  system: SystemInfo;
  /** The contract of the mock. */
  contract: { readonly major: number; readonly minor: number };
  /** Waited for before each step of a job; the default lets other work that is ready go first. */
  step: () => Promise<void>;
}

/** What a transcription cost: nothing. */
export const NO_STATS: Stats = {
  audioS: 0.33,
  queuedMs: 0,
  totalMs: 1,
  melMs: 0,
  encodeMs: 1,
  promptMs: 0,
  decodeMs: 0,
  batchedMs: 0,
  sampleMs: 0,
  nWindows: 1,
  nTokens: 1,
  nFallbacks: 0,
  nThreads: 1,
};

/** The answers of whisper.rn's own mock, so that tests written for it go on to pass. */
export const DEFAULT_SCRIPT: Script = {
  segments: [
    {
      startS: 0,
      endS: 0.33,
      text: ' Test',
      noSpeechProbability: 0,
      speakerTurnNext: false,
      tokens: [{ id: 6208, text: ' Test', probability: 1, logProbability: 0, isSpecial: false, startS: 0, endS: 0.33 }],
      words: [{ text: ' Test', startS: 0, endS: 0.33, probability: 1 }],
    },
  ],
  language: 'en',
  speech: [
    { startS: 0.5, endS: 2.3 },
    { startS: 3.1, endS: 5.8 },
    { startS: 7.2, endS: 9.4 },
  ],
  durationS: 0.33,
  info: {
    type: 'tiny',
    isMultilingual: true,
    nVocab: 51865,
    nAudioCtx: 1500,
    nAudioState: 384,
    nAudioHead: 6,
    nAudioLayer: 4,
    nTextCtx: 448,
    nTextState: 384,
    nTextHead: 6,
    nTextLayer: 4,
    nMels: 80,
    ftype: 1,
    weightsBytes: 1,
    stateBytes: 1,
    backend: 'mock',
    backendReason: 'Mock context',
    encoder: 'own',
    encoderReason: 'Mock context',
    usesGpu: false,
  },
  system: { version: '1.9.1', description: 'mock', kernels: 'mock', hasMetal: false, hasCoreml: false },
  contract: CONTRACT,
  step: () => Promise.resolve(),
};
