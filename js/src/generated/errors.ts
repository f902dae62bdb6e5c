// Generated from templates/ts/errors.ts.j2 by `wsp generate`; do not edit.
//
// Codes of all errors: what programs compare with, and never change.

/** The code of an error, and what it means. */
export const ERROR_CODES = [
  // A value has the wrong type or lies outside its range; field names it.
  'invalid_argument',
  // A file, or a language or model by its name, does not exist.
  'not_found',
  // A file or buffer is not what it should be: damaged, cut, or of another kind. The message says what
  // was found.
  'bad_format',
  // It is understood, but this build cannot do it.
  'unsupported',
  // The memory that was needed is not there; estimateMemory tells beforehand how much a model takes.
  'out_of_memory',
  // It was cancelled. A cancelled job resolves with what it has so far; this is for whoever wants an
  // error instead.
  'cancelled',
  // The operating system could not read a file that is there.
  'io',
  // Something is in use by another call. Jobs of one context queue, so this is a bug where it comes from
  // one.
  'busy',
  // A bug of this library; please report it with the message.
  'internal',
  // The native part knows no option of this name: a misspelling, or an option that is newer than the
  // binary; field names it.
  'unknown_option',
  // The context was released before the call, or before its turn came.
  'released',
  // JavaScript and the native part have contracts of another major: rebuild the app with the installed
  // version of the package.
  'contract_mismatch',
  // The native module is not in this app: it was not rebuilt after the installation, or runs where there
  // is none, such as Expo Go.
  'not_linked',
] as const;

/** Code of an error of this package. */
export type ErrorCode = (typeof ERROR_CODES)[number];

/** What the native part throws or rejects with: an Error with these fields. */
export interface NativeError extends Error {
  readonly code: ErrorCode;
  /** The option, field or argument that is wrong, such as options.beamSize; only where there is one. */
  readonly field?: string;
}
