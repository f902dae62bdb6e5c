// The native module, looked at once: whether it is there, and whether it speaks the contract of this JavaScript.
import { WspError } from './errors.js';
import { CONTRACT, MODULE } from './generated/contract.js';
import NativeWsp from './generated/NativeWsp.js';
import type { NativeModule } from './generated/types.js';

let linked = NativeWsp as unknown as NativeModule | null;
let checked: NativeModule | undefined;

/** Puts another module in the native one's place: for mocks, before anything else of the package is used. */
export function replaceNative(module: NativeModule): void {
  linked = module;
  checked = undefined;
}

/** The native module. Errors: not_linked, contract_mismatch. */
export function native(): NativeModule {
  if (checked === undefined) {
    if (linked === null) {
      throw new WspError(
        'not_linked',
        `The native module ${MODULE} is not in this app. Rebuild the app after installing wsp.rn (on iOS after ` +
          '`npx pod-install`); Expo Go cannot hold it, a development build can.',
      );
    }
    requireContract(linked.contract().major);
    checked = linked;
  }
  return checked;
}

function requireContract(major: number): void {
  if (major !== CONTRACT.major) {
    const rebuild =
      major < CONTRACT.major
        ? 'the app was built with an older wsp.rn: rebuild it with the installed version'
        : 'the app was built with a newer wsp.rn than its JavaScript: bundle the JavaScript of that version';
    throw new WspError(
      'contract_mismatch',
      `The native part of wsp.rn has contract ${major}, its JavaScript ${CONTRACT.major}; ${rebuild}.`,
    );
  }
}

/**
 * Refuses a method that an older native part lacks: JavaScript that was updated over the air is newer than the app.
 * Errors: unsupported.
 */
export function requireMethod<Target extends object>(target: Target, name: keyof Target & string): void {
  if (typeof target[name] !== 'function') {
    throw new WspError('unsupported', `The native part of this app is older than its JavaScript and has no ${name}: rebuild the app.`, {
      field: name,
    });
  }
}
