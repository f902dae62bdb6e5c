// The queue of a mocked context: jobs one at a time by priority and order, cancellation, release.
import type { NativeJob, Priority } from '../src/generated/types.js';
import type { ErrorCode } from '../src/generated/errors.js';

/** The error that the native part would throw. */
export function nativeError(code: ErrorCode, message: string, field?: string): Error {
  return Object.assign(new Error(message), field === undefined ? { code } : { code, field });
}

/** Tells a job whether it was cancelled. */
export type IsCancelled = () => boolean;

interface Waiting {
  readonly rank: number;
  /** Resolves with what settles the job's promise. */
  readonly run: () => Promise<() => void>;
  readonly refuse: (error: Error) => void;
}

const RANKS: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };
let lastId = 0;

/** Runs jobs one after another. */
export class Queue {
  private waiting: Waiting[] = [];
  private running: Promise<void> | undefined;
  private released: Promise<void> | undefined;

  /** release was called. */
  get isReleased(): boolean {
    return this.released !== undefined;
  }

  /** Jobs that wait or run. */
  get nJobs(): number {
    return this.waiting.length + (this.running === undefined ? 0 : 1);
  }

  /** Queues work; the promise settles with its end. Errors: released. */
  add<Result>(work: (isCancelled: IsCancelled) => Promise<Result>, priority: Priority = 'normal'): NativeJob<Result> {
    this.requireOpen();
    let isCancelled = false;
    const promise = new Promise<Result>((resolve, reject) => {
      const run = (): Promise<() => void> =>
        work(() => isCancelled).then(
          (result) => () => resolve(result),
          (error) => () => reject(error),
        );
      this.waiting.push({ rank: RANKS[priority], run, refuse: reject });
    });
    this.next();
    return {
      id: (lastId += 1),
      promise,
      cancel: () => {
        isCancelled = true;
      },
    };
  }

  /** Errors: released. */
  requireOpen(): void {
    if (this.isReleased) {
      throw nativeError('released', 'The context was released.');
    }
  }

  /** Refuses what waits, waits for what runs; the same promise each time. */
  release(): Promise<void> {
    if (this.released === undefined) {
      this.released = (this.running ?? Promise.resolve()).then(() => undefined);
      for (const one of this.waiting.splice(0)) {
        one.refuse(nativeError('released', 'The context was released before the turn of this job.'));
      }
    }
    return this.released;
  }

  private next(): void {
    if (this.running !== undefined || this.waiting.length === 0) {
      return;
    }
    const first = this.waiting.reduce((best, one) => (one.rank < best.rank ? one : best));
    this.waiting = this.waiting.filter((one) => one !== first);
    // Never in the call itself: the caller has no job yet to cancel.
    this.running = Promise.resolve()
      .then(first.run)
      .then((settle) => {
        // Who hears of the end finds it in no list any more.
        this.running = undefined;
        settle();
        this.next();
      });
  }
}
