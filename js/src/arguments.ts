// Checks of what JavaScript itself takes; the native part checks all that it is given.
import { WspError } from './errors.js';
import type { AbortSignalLike } from './job.js';

function refuse(found: unknown, expected: string, field: string): never {
  throw new WspError('invalid_argument', `${field} is ${String(found)}, expected ${expected}.`, { field });
}

/** The options of a call; {} where there are none. Errors: invalid_argument, with the field. */
export function optionsOf<Options extends object>(options: Options | undefined, field = 'options'): Partial<Options> {
  if (options === undefined) {
    return {};
  }
  return typeof options === 'object' && options !== null ? options : refuse(options, 'an object', field);
}

/** Errors: invalid_argument, with the field, for anything but a function or undefined. */
export function requireCallback(callback: unknown, field: string): void {
  if (callback !== undefined && typeof callback !== 'function') {
    refuse(callback, 'a function', field);
  }
}

/** Errors: invalid_argument for anything but an AbortSignal or undefined. */
export function requireSignal(signal: AbortSignalLike | undefined): void {
  if (signal !== undefined && typeof (signal as AbortSignalLike | null)?.addEventListener !== 'function') {
    refuse(signal, 'an AbortSignal', 'options.signal');
  }
}
