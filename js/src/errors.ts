// Errors of this package: one class with a code, and the one that AbortSignal asks for. What the native part throws
// becomes one of them, so that `instanceof` works.
import { ERROR_CODES, type ErrorCode, type NativeError } from './generated/errors.js';
import type { Segment } from './generated/types.js';

/** What an error may say beside its message. */
export interface ErrorDetails {
  /** The option, field or argument that is wrong, such as options.beamSize. */
  readonly field?: string | undefined;
  /** What it came from. */
  readonly cause?: unknown;
}

/** Every error that this package throws or rejects with; `code` is for programs, the message for people. */
export class WspError extends Error {
  /** What went wrong; codes never change. */
  readonly code: ErrorCode;
  /** The option, field or argument that is wrong; undefined where it is none. */
  readonly field: string | undefined;
  /** What it came from, such as the error of the native part. */
  readonly cause: unknown;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = 'WspError';
    this.code = code;
    this.field = details.field;
    this.cause = details.cause;
  }
}

/** What a job rejects with that an AbortSignal has cancelled. Its name is AbortError, its code is cancelled. */
export class AbortError extends WspError {
  /** The segments up to the abort; empty for jobs that have none. */
  readonly segments: readonly Segment[];
  /** The reason of the signal, where it has one. */
  readonly reason: unknown;

  constructor(segments: readonly Segment[], reason?: unknown) {
    super('cancelled', 'It was aborted by its signal.', { cause: reason });
    this.name = 'AbortError';
    this.segments = segments;
    this.reason = reason;
  }
}

/** What a part of the API throws that is announced, and comes in a later version. Its code is unsupported. */
export class NotYetError extends WspError {
  constructor(what: string) {
    super('unsupported', `${what} is not in this version of wsp.rn yet.`);
    this.name = 'NotYetError';
  }
}

function isNativeError(error: unknown): error is NativeError {
  return error instanceof Error && ERROR_CODES.includes((error as NativeError).code);
}

/** An error of the native part as a WspError; anything else as it is, such as what a callback threw. */
export function typed(error: unknown): unknown {
  if (error instanceof WspError || !isNativeError(error)) {
    return error;
  }
  return new WspError(error.code, error.message, { field: error.field, cause: error });
}

/** The value of `work`; what it throws is typed. */
export function withTypedErrors<Value>(work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    throw typed(error);
  }
}

/** The value of a promise; what it rejects with is typed. */
export async function typedRejections<Value>(promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (error) {
    throw typed(error);
  }
}
