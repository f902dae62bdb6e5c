// The package's main entry. Nothing else of the package imports it: jest.mock('wsp.rn') puts the mock in this very file's
// place, and the mock exports what api.ts does.
export * from './api.js';
