// Puts the mock in the place of the native module. It stands first in jest.ts: what is imported after it finds the mock.
import { replaceNative } from '../src/native.js';
import { createNative, type Spy } from './native.js';

/** Jest gives each file its own; vitest and others have none of that name. */
declare const jest: { fn: Spy } | undefined;

replaceNative(createNative({}, (method) => (typeof jest === 'undefined' ? method : jest.fn(method))));
