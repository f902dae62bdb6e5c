// whisper.rn's source of realtime audio from a WAV file that is played: the name is there, and says that it is not there yet.
import { NotYetError } from '../../errors.js';
import type { AudioStreamInterface } from '../types.js';

/** Not yet: making one throws. */
export class SimulateFileAudioStreamAdapter implements AudioStreamInterface {
  readonly initialize!: AudioStreamInterface['initialize'];
  readonly start!: AudioStreamInterface['start'];
  readonly stop!: AudioStreamInterface['stop'];
  readonly isRecording!: AudioStreamInterface['isRecording'];
  readonly onData!: AudioStreamInterface['onData'];
  readonly onError!: AudioStreamInterface['onError'];
  readonly onStatusChange!: AudioStreamInterface['onStatusChange'];
  readonly release!: AudioStreamInterface['release'];

  constructor(_options?: object) {
    throw new NotYetError('SimulateFileAudioStreamAdapter');
  }
}
