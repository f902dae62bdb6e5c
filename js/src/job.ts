// A call that waits, runs or has ended: its promise, its cancellation, and its signal.
import { AbortError, typed } from './errors.js';
import type { NativeJob, Segment } from './generated/types.js';

/** The part of AbortSignal that is used; React Native's and the web's both have it. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  /** What abort was called with, where the platform knows it. */
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** What each call takes beside its own options. */
export interface Abortable {
  /** Cancels the job, whose promise then rejects with an AbortError. */
  readonly signal?: AbortSignalLike | undefined;
}

/** The ends of a job, told before its promise settles. */
export interface Ends<Result> {
  /** It has a result, a cancelled one too. */
  resolved?(result: Result): void;
  /** It failed, or its signal has aborted it. */
  rejected?(error: unknown): void;
  /** The segments that a cancelled job has. */
  segments?(result: Result): readonly Segment[];
}

/**
 * Work in the queue of a context. The promise resolves with the result, also after cancel(), when isCancelled is true and
 * the result is what there is; it rejects with a WspError, with an AbortError where the signal has aborted it, or with what
 * a callback threw.
 */
export class Job<Result extends { readonly isCancelled: boolean }> {
  /** Number of the job, from 1; no two of a running app have the same. */
  readonly id: number;
  /** Settles when the work has ended, after all callbacks. */
  readonly promise: Promise<Result>;
  private readonly work: NativeJob<Result>;

  /** Of the native job; `ends` hears of its end first. */
  constructor(work: NativeJob<Result>, signal?: AbortSignalLike, ends: Ends<Result> = {}) {
    this.work = work;
    this.id = work.id;
    this.promise = ended(work, signal, ends);
  }

  /** Ends this job and no other; returns at once. After the end it does nothing. */
  cancel(): void {
    this.work.cancel();
  }
}

async function ended<Result extends { readonly isCancelled: boolean }>(
  work: NativeJob<Result>,
  signal: AbortSignalLike | undefined,
  ends: Ends<Result>,
): Promise<Result> {
  const cancel = (): void => work.cancel();
  if (signal?.aborted === true) {
    cancel();
  } else {
    signal?.addEventListener('abort', cancel);
  }
  try {
    const result = await work.promise;
    // A job that was done before the abort reached it keeps its result.
    if (result.isCancelled && signal?.aborted === true) {
      throw new AbortError(ends.segments?.(result) ?? [], signal.reason);
    }
    ends.resolved?.(result);
    return result;
  } catch (error) {
    const told = typed(error);
    ends.rejected?.(told);
    throw told;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
