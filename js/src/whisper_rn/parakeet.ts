// whisper.rn's Parakeet API: the names are there, the models are not supported.
import { WspError } from '../errors.js';
import type { ParakeetContextOptions, ParakeetTranscribeOptions, TranscribeTask } from './types.js';

function refused(): WspError {
  return new WspError('unsupported', 'Parakeet models are not supported: load a Whisper model with initWhisper.');
}

/** Cannot be made. */
export class ParakeetContext {
  readonly id!: number;
  readonly gpu!: boolean;
  readonly reasonNoGPU!: string;

  /** Throws unsupported. */
  constructor() {
    throw refused();
  }

  /** Throws unsupported. */
  transcribe(_filePathOrBase64: string | number, _options?: ParakeetTranscribeOptions): TranscribeTask {
    throw refused();
  }

  /** Throws unsupported. */
  transcribeData(_data: string | ArrayBuffer, _options?: ParakeetTranscribeOptions): TranscribeTask {
    throw refused();
  }

  /** Throws unsupported. */
  release(): Promise<void> {
    throw refused();
  }
}

/** Rejects with unsupported. */
export async function initParakeet(_options: ParakeetContextOptions): Promise<ParakeetContext> {
  throw refused();
}

/** Does nothing: there are no such contexts. */
export async function releaseAllParakeet(): Promise<void> {}
