// Segments put together by who speaks.
import type { Segment } from './generated/types.js';

/** What one speaker says before the next one does. */
export interface Turn {
  /** Start of its first segment, in seconds. */
  readonly startS: number;
  /** End of its last segment, in seconds. */
  readonly endS: number;
  /** The texts of its segments in a row. */
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** The turns of a transcription with tdrzEnable, in order; without it all is one turn. Who speaks is not known. */
export function speakerTurns(segments: readonly Segment[]): readonly Turn[] {
  const turns: Segment[][] = [];
  let isNew = true;
  for (const segment of segments) {
    if (isNew) {
      turns.push([]);
    }
    turns[turns.length - 1]?.push(segment);
    isNew = segment.speakerTurnNext;
  }
  return turns.map((turn) => ({
    startS: (turn[0] as Segment).startS,
    endS: (turn[turn.length - 1] as Segment).endS,
    text: turn.map((segment) => segment.text).join(''),
    segments: turn,
  }));
}
