// The job of a transcription: segments and words, one by one, while it runs.
import { requireCallback, requireSignal } from './arguments.js';
import { WspError, withTypedErrors } from './errors.js';
import type {
  Audio,
  NativeContext,
  Segment,
  TranscribeCall,
  TranscribeEvent,
  Transcription,
  Word,
} from './generated/types.js';
import { Job, type Abortable } from './job.js';
import { ASYNC_ITERATOR, Stream } from './stream.js';

/** All options of a transcription, and who hears of it. */
export interface TranscriptionOptions extends TranscribeCall, Abortable {
  /** Hears of each percent, from 0 to 100. What it throws cancels the job, which rejects with it. */
  readonly onProgress?: ((percent: number) => void) | undefined;
  /** Hears of new segments and the number of the first of them. What it throws cancels the job likewise. */
  readonly onSegments?: ((segments: readonly Segment[], firstIndex: number) => void) | undefined;
}

/**
 * A transcription that waits, runs or has ended. `for await (const segment of job)` gives each segment as it is there, from
 * the first one, whenever the loop begins; it ends with the job, and throws what the promise rejects with. Leaving a loop
 * cancels nothing: cancel() does.
 */
export class TranscriptionJob extends Job<Transcription> implements AsyncIterable<Segment> {
  private readonly heard: Stream<Segment>;
  private readonly hasWords: boolean;

  private constructor(work: ReturnType<NativeContext['transcribe']>, options: TranscriptionOptions, heard: Stream<Segment>) {
    super(work, options.signal, {
      resolved: (result) => {
        // Whatever no event told, such as that of parts that ran beside each other.
        heard.push(result.segments.slice(heard.length));
        heard.end();
      },
      rejected: (error) => heard.fail(error),
      segments: (result) => result.segments,
    });
    this.heard = heard;
    this.hasWords = options.words === true;
  }

  /** Queues it in a native context. Errors: those of NativeContext.transcribe. */
  static start(context: NativeContext, audio: Audio, options: TranscriptionOptions): TranscriptionJob {
    const { signal, onProgress, onSegments, ...call } = options;
    requireSignal(signal);
    requireCallback(onProgress, 'options.onProgress');
    requireCallback(onSegments, 'options.onSegments');
    const heard = new Stream<Segment>();
    const onEvent = (event: TranscribeEvent): void => {
      if (event.type === 'segments' && event.segments !== undefined) {
        const firstIndex = event.firstIndex ?? heard.length;
        heard.push(event.segments);
        onSegments?.(event.segments, firstIndex);
      } else if (event.type === 'progress' && event.progressPercent !== undefined) {
        onProgress?.(event.progressPercent);
      }
    };
    return new TranscriptionJob(withTypedErrors(() => context.transcribe(audio, call, onEvent)), options, heard);
  }

  /** The segments, as a loop over the job gives them. */
  [ASYNC_ITERATOR](): AsyncIterableIterator<Segment> {
    // The reader gets the error: a promise that nobody looks at must not be reported as unhandled as well.
    this.promise.catch(() => undefined);
    return this.heard.read();
  }

  /** The words one by one, with their times and probabilities. Errors: invalid_argument without the option words. */
  words(): AsyncIterableIterator<Word> {
    if (!this.hasWords) {
      throw new WspError('invalid_argument', 'words() needs a transcription with words: true.', { field: 'options.words' });
    }
    const segments = this[ASYNC_ITERATOR]();
    let words: readonly Word[] = [];
    let next = 0;
    const step = async (): Promise<IteratorResult<Word, undefined>> => {
      while (next >= words.length) {
        const segment = await segments.next();
        if (segment.done === true) {
          return { done: true, value: undefined };
        }
        words = (segment.value as Segment).words ?? [];
        next = 0;
      }
      return { done: false, value: words[next++] as Word };
    };
    // Calls of next() that do not wait for each other take their turns.
    let last: Promise<unknown> = Promise.resolve();
    const reader: AsyncIterableIterator<Word> = {
      next: () => {
        const turn = last.then(step);
        last = turn.catch(() => undefined);
        return turn;
      },
      return: async () => {
        words = [];
        await segments.return?.();
        return { done: true, value: undefined };
      },
      [ASYNC_ITERATOR]: () => reader,
    };
    return reader;
  }
}
