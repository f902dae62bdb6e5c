// Options and results of whisper.rn, translated into ours and back. It knows no context and no job.
import { WspError } from '../errors.js';
import type { Segment, TranscribeCall, Transcription } from '../generated/types.js';
import type { AudioInput } from '../inputs.js';
import type { TranscribeOptions, TranscribeResult } from './types.js';

/** Our name of each option; a test holds the list against the type. */
export const OPTION_NAMES = {
  language: 'language',
  translate: 'translate',
  maxThreads: 'nThreads',
  nProcessors: 'nParts',
  maxContext: 'nMaxTextCtx',
  maxLen: 'maxLen',
  tokenTimestamps: 'tokenTimestamps',
  tdrzEnable: 'tdrzEnable',
  wordThold: 'tholdPt',
  offset: 'offsetMs',
  duration: 'durationMs',
  temperature: 'temperature',
  temperatureInc: 'temperatureInc',
  beamSize: 'beamSize',
  bestOf: 'bestOf',
  prompt: 'initialPrompt',
} as const satisfies Record<keyof TranscribeOptions, keyof TranscribeCall>;

/** Whole numbers there: fractions are cut off, as whisper.rn does it. */
const WHOLE = new Set<string>(['maxThreads', 'nProcessors', 'maxContext', 'maxLen', 'offset', 'duration', 'beamSize', 'bestOf']);

/** Numbers below this stand for "as if left out". */
const LEAST: Readonly<Partial<Record<keyof TranscribeOptions, number>>> = { maxContext: 0, beamSize: 1 };

/** Our options. Unknown keys are left out, as they had no effect there. */
export function toCall(options: TranscribeOptions): TranscribeCall {
  // Remarks such as [BLANK_AUDIO] are part of its results.
  const call: Record<string, unknown> = { suppressNst: false };
  for (const [name, ours] of Object.entries(OPTION_NAMES)) {
    const given = options[name as keyof TranscribeOptions];
    const least = LEAST[name as keyof TranscribeOptions];
    if (given === undefined || given === null || (typeof given === 'number' && least !== undefined && given < least)) {
      continue;
    }
    call[ours] = typeof given === 'number' && WHOLE.has(name) ? Math.trunc(given) : given;
  }
  return call as TranscribeCall;
}

/** An error that names an option by our name, with whisper.rn's name instead; others as they are. */
export function renamed(error: unknown): unknown {
  if (!(error instanceof WspError) || error.field === undefined) {
    return error;
  }
  for (const [name, ours] of Object.entries(OPTION_NAMES)) {
    if (error.field === `options.${ours}` && name !== ours) {
      const message = error.message.split(ours).join(name);
      return new WspError(error.code, message, { field: `options.${name}`, cause: error });
    }
  }
  return error;
}

/** Segments with times in units of 10 ms, and the mark of a speaker's turn in the text. */
export function toSegments(segments: readonly Segment[]): TranscribeResult['segments'] {
  return segments.map((segment) => ({
    text: segment.speakerTurnNext ? `${segment.text} [SPEAKER_TURN]` : segment.text,
    t0: toTicks(segment.startS),
    t1: toTicks(segment.endS),
  }));
}

/** Seconds in units of 10 ms. */
export function toTicks(seconds: number): number {
  return Math.round(seconds * 100);
}

/** The texts of segments in a row. */
export function textOf(segments: TranscribeResult['segments']): string {
  return segments.map((segment) => segment.text).join('');
}

/** A result as whisper.rn has it. */
export function toResult(transcription: Transcription): TranscribeResult {
  const segments = toSegments(transcription.segments);
  return {
    result: textOf(segments),
    language: transcription.language ?? '',
    segments,
    isAborted: transcription.isCancelled,
  };
}

const DATA_URL = /^data:audio\/(?:x-)?wav;base64,/i;

/** A path, file URL or data URL of a WAV file. */
export function fileAudio(file: string): AudioInput {
  const found = DATA_URL.exec(file);
  return found === null ? file : { base64: file.slice(found[0].length), format: 'wav' };
}

/** Samples of one channel at 16 kHz: 16-bit in a buffer or as base64; typed arrays say themselves what they hold. */
export function rawAudio(data: string | ArrayBuffer | ArrayBufferView): AudioInput {
  if (typeof data === 'string') {
    return { base64: data, format: 'int16' };
  }
  return data instanceof Float32Array || data instanceof Int16Array ? data : { data, format: 'int16' };
}
