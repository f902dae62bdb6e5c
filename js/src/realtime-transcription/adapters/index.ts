// The sources of realtime audio in one place.
export { AudioPcmStreamAdapter } from './AudioPcmStreamAdapter.js';
export { JestAudioStreamAdapter } from './JestAudioStreamAdapter.js';
export { SimulateFileAudioStreamAdapter } from './SimulateFileAudioStreamAdapter.js';
