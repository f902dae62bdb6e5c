// What the native part is, which languages it knows, and its log.
import { withTypedErrors } from './errors.js';
import type { Language, LogLevel, OnLog, SystemInfo } from './generated/types.js';
import { native } from './native.js';

/** What this build is and can do. Errors: not_linked, contract_mismatch. */
export function systemInfo(): SystemInfo {
  return native().systemInfo();
}

/** All languages that the models know. Errors: not_linked, contract_mismatch. */
export function languages(): readonly Language[] {
  return native().languages();
}

/** Delivers the log of the core, of all contexts; a further call replaces the former. Errors: invalid_argument. */
export function setLog(level: LogLevel, onLog?: OnLog): void {
  withTypedErrors(() => native().setLog(level, onLog));
}
