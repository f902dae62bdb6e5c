// Transcriptions as SubRip, WebVTT and JSON, by segments or by words: the cues and names that `wsp transcribe` writes.
import type { Segment, Token, Transcription, Word } from './generated/types.js';

/** Behind the text of a segment that another speaker follows. */
const SPEAKER_TURN = '[SPEAKER_TURN]';

/** How subtitles are cut. */
export interface SubtitleOptions {
  /** A cue per word; the transcription must have words. Default: false. */
  readonly perWord?: boolean | undefined;
}

interface Cue {
  readonly startS: number;
  readonly endS: number;
  readonly text: string;
}

/** SubRip: numbered cues, times as 00:00:01,500, an empty line after each. */
export function toSrt(transcription: Pick<Transcription, 'segments'>, options: SubtitleOptions = {}): string {
  return cuesOf(transcription.segments, options)
    .map((cue, index) => `${index + 1}\n${cueTimes(cue, ',')}\n${cue.text}\n\n`)
    .join('');
}

/** WebVTT: a header, then cues with times as 00:00:01.500; &, < and > are escaped. */
export function toVtt(transcription: Pick<Transcription, 'segments'>, options: SubtitleOptions = {}): string {
  const cues = cuesOf(transcription.segments, options);
  return `WEBVTT\n\n${cues.map((cue) => `${cueTimes(cue, '.')}\n${escapeVtt(cue.text)}\n\n`).join('')}`;
}

/** Everything as indented JSON with a newline at the end; times in seconds, names as on the command line. */
export function toJson(transcription: Transcription): string {
  const document = {
    text: transcription.text,
    language: transcription.language ?? null,
    language_probability: rounded(transcription.languageProbability),
    duration_s: Math.round(transcription.durationS * 1000) / 1000,
    speech: transcription.speech.map((one) => ({ start_s: one.startS, end_s: one.endS })),
    segments: transcription.segments.map(segmentDocument),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function cuesOf(segments: readonly Segment[], options: SubtitleOptions): readonly Cue[] {
  if (options.perWord === true) {
    return segments.flatMap((segment) => segment.words ?? []).map((word) => ({ ...word, text: word.text.trim() }));
  }
  return segments
    .map((segment) => ({ startS: segment.startS, endS: segment.endS, text: lineOf(segment) }))
    .filter((cue) => cue.text !== '');
}

function lineOf(segment: Segment): string {
  // An empty line would end a cue: one line in any case.
  const line = segment.text.trim().replace(/\s+/g, ' ');
  return segment.speakerTurnNext ? `${line} ${SPEAKER_TURN}` : line;
}

function cueTimes(cue: Cue, mark: string): string {
  // A cue that ends before it starts is no valid cue.
  return `${timestamp(cue.startS, mark)} --> ${timestamp(Math.max(cue.startS, cue.endS), mark)}`;
}

function timestamp(seconds: number, mark: string): string {
  // Rounded as a whole first: rounding the rest alone would give 00:00:59.1000.
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const digits = (value: number, width: number): string => String(value).padStart(width, '0');
  const whole = Math.floor(milliseconds / 1000);
  const hours = digits(Math.floor(whole / 3600), 2);
  const minutes = digits(Math.floor(whole / 60) % 60, 2);
  return `${hours}:${minutes}:${digits(whole % 60, 2)}${mark}${digits(milliseconds % 1000, 3)}`;
}

function escapeVtt(text: string): string {
  // "-->" is not allowed in a cue either; escaping > takes care of it.
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function segmentDocument(segment: Segment): object {
  return {
    start_s: segment.startS,
    end_s: segment.endS,
    text: segment.text,
    no_speech_probability: rounded(segment.noSpeechProbability),
    speaker_turn_next: segment.speakerTurnNext,
    words: (segment.words ?? []).map(wordDocument),
    tokens: (segment.tokens ?? []).map(tokenDocument),
  };
}

function wordDocument(word: Word): object {
  return { text: word.text, start_s: word.startS, end_s: word.endS, probability: rounded(word.probability) };
}

function tokenDocument(token: Token): object {
  return {
    id: token.id,
    text: token.text,
    start_s: token.startS ?? null,
    end_s: token.endS ?? null,
    dtw_s: token.dtwS ?? null,
    probability: rounded(token.probability),
    log_probability: rounded(token.logProbability),
    special: token.isSpecial,
  };
}

function rounded(value: number | undefined): number | null {
  // JSON knows no infinity, which the logarithm of 0 is.
  return value === undefined || !Number.isFinite(value) ? null : Math.round(value * 1e6) / 1e6;
}
