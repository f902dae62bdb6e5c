// whisper.rn's realtime transcription: names, types and presets are there, and each class says that it is not there yet.
import { NotYetError } from '../errors.js';
import type { VadOptions } from '../generated/types.js';
import type {
  AudioSliceNoData,
  RealtimeOptions,
  RealtimeStatsEvent,
  RealtimeTranscribeEvent,
  RealtimeTranscriberCallbacks,
  RealtimeTranscriberDependencies,
  RealtimeVadContextLike,
  RingBufferVadOptions,
  WhisperVadContextLike,
} from './types.js';

export * from './types.js';

/** Not yet: making one throws. */
export class RealtimeTranscriber {
  readonly start!: () => Promise<void>;
  readonly stop!: () => Promise<void>;
  readonly nextSlice!: () => Promise<void>;
  readonly reset!: () => Promise<void>;
  readonly release!: () => Promise<void>;
  readonly updateCallbacks!: (callbacks: Partial<RealtimeTranscriberCallbacks>) => void;
  readonly updateVadOptions!: (options: Partial<VadOptions>) => void;
  readonly getStatistics!: () => RealtimeStatsEvent['data'];
  readonly getTranscriptionResults!: () => Array<{ slice: AudioSliceNoData; transcribeEvent: RealtimeTranscribeEvent }>;

  constructor(
    _dependencies: RealtimeTranscriberDependencies,
    _options?: RealtimeOptions,
    _callbacks?: RealtimeTranscriberCallbacks,
  ) {
    throw new NotYetError('RealtimeTranscriber');
  }
}

/** Not yet: making one throws. */
export class SliceManager {
  constructor(_audioSliceSec?: number, _maxSlicesInMemory?: number, _sampleRate?: number) {
    throw new NotYetError('SliceManager');
  }
}

/** Not yet: making one throws. */
export class RingBuffer {
  constructor(_capacityBytes: number) {
    throw new NotYetError('RingBuffer');
  }
}

/** Not yet: making one throws. */
export class RingBufferVad implements RealtimeVadContextLike {
  readonly processAudio!: RealtimeVadContextLike['processAudio'];
  readonly onSpeechStart!: RealtimeVadContextLike['onSpeechStart'];
  readonly onSpeechContinue!: RealtimeVadContextLike['onSpeechContinue'];
  readonly onSpeechEnd!: RealtimeVadContextLike['onSpeechEnd'];
  readonly onError!: RealtimeVadContextLike['onError'];
  readonly updateOptions!: RealtimeVadContextLike['updateOptions'];
  readonly flush!: RealtimeVadContextLike['flush'];
  readonly reset!: RealtimeVadContextLike['reset'];

  constructor(_vadContext: WhisperVadContextLike, _options?: RingBufferVadOptions) {
    throw new NotYetError('RingBufferVad');
  }
}
