// The mock for jest: `jest.mock('wsp.rn', () => require('wsp.rn/jest-mock'))`. It is the package itself on a native module
// in JavaScript, so it has exactly the package's exports.
import './install.js';

export * from '../src/api.js';
