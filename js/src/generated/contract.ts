// Generated from templates/ts/contract.ts.j2 by `wsp generate`; do not edit.
//
// The contract that this JavaScript was written for.

/** Name of the native module. */
export const MODULE = 'Wsp';

/**
 * The version of all that follows, compiled into the JavaScript and into the native part. Another
 * major is refused with contract_mismatch, since nothing that it says can be trusted. A newer minor of
 * JavaScript works with an older native part of the same major, as over-the-air updates make it
 * happen: an option or method that the native part lacks is refused when it is used.
 */
export const CONTRACT = { major: 1, minor: 0 } as const;
