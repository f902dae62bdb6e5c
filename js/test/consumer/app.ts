// An app that uses every kind of type of the package: it is compiled in each way that TypeScript resolves modules.
import {
  AbortError,
  estimateMemory,
  initWhisper,
  initWhisperVad,
  loadModel,
  loadVad,
  speakerTurns,
  toJson,
  toSrt,
  toVtt,
  WspError,
  type BenchResult,
  type ContextOptions,
  type ErrorCode,
  type LoadOptions,
  type Segment,
  type TranscribeFileOptions,
  type TranscribeNewSegmentsResult,
  type TranscribeOptions,
  type TranscribeResult,
  type Transcription,
  type TranscriptionOptions,
  type VadContextOptions,
  type VadOptions,
  type VadSegment,
  type Word,
} from 'wsp.rn';
import * as mock from 'wsp.rn/jest-mock';
import { RealtimeTranscriber, VAD_PRESETS, type RealtimeOptions } from 'wsp.rn/realtime-transcription';
import { AudioPcmStreamAdapter } from 'wsp.rn/realtime-transcription/adapters';
import { SimulateFileAudioStreamAdapter } from 'wsp.rn/realtime-transcription/adapters/SimulateFileAudioStreamAdapter';

export async function ours(samples: Float32Array): Promise<string> {
  const memory = await estimateMemory('/model.bin');
  const bytes: number = memory.weightsBytes + memory.stateBytes;
  const load: LoadOptions = { useGpu: bytes < 1e9, dtw: 'tiny.en' };
  const context = await loadModel('/model.bin', load);
  const controller = new AbortController();
  const options: TranscriptionOptions = {
    language: 'de',
    words: true,
    priority: 'high',
    signal: controller.signal,
    vadOptions: { threshold: 0.4 },
    onProgress: (percent: number) => void percent,
  };
  const job = context.transcribe(samples, options);
  const segments: Segment[] = [];
  for await (const segment of job) {
    segments.push(segment);
  }
  for await (const word of job.words()) {
    const { text, startS, probability }: Word = word;
    void [text, startS, probability];
  }
  try {
    const transcription: Transcription = await job.promise;
    const language: string | undefined = transcription.language;
    void [language, speakerTurns(transcription.segments)[0]?.text];
    return toSrt(transcription) + toVtt(transcription, { perWord: true }) + toJson(transcription);
  } catch (error) {
    if (error instanceof AbortError) {
      return error.segments.map((segment) => segment.text).join('');
    }
    const code: ErrorCode | undefined = error instanceof WspError ? error.code : undefined;
    return code ?? '';
  }
}

export async function refused(): Promise<void> {
  const context = await loadModel({ path: '/model.bin' });
  // @ts-expect-error an option that there is not
  context.transcribe('/a.wav', { beamsize: 5 });
  // @ts-expect-error a value of another type
  context.transcribe('/a.wav', { language: 5 });
  // @ts-expect-error a model that there is not
  await loadModel('/model.bin', { dtw: 'huge' });
  const vad = await loadVad('/vad.bin');
  const { segments } = await vad.detect({ data: new Int16Array(16), sampleRateHz: 8000, channels: 2 }).promise;
  // @ts-expect-error results are not to be written to
  segments[0].startS = 1;
}

export async function theirs(): Promise<TranscribeResult> {
  const options: ContextOptions = { filePath: 'file:///model.bin', useGpu: true, useCoreMLIos: false, useFlashAttn: true };
  const context = await initWhisper(options);
  const call: TranscribeOptions = { language: 'en', maxThreads: 4, beamSize: 5 };
  const file: TranscribeFileOptions = {
    ...call,
    onProgress: (progress) => void progress.toFixed(),
    onNewSegments: (result: TranscribeNewSegmentsResult) => void result.segments[0]?.t0,
  };
  const { stop, promise } = context.transcribe('/a.wav', file);
  const raw = context.transcribeData(new ArrayBuffer(2), call);
  await stop();
  await raw.promise;
  const bench: BenchResult = await context.bench(4);
  void bench.batchMs;
  const vadOptions: VadContextOptions = { filePath: '/vad.bin', nThreads: 2 };
  const vad = await initWhisperVad(vadOptions);
  const speech: VadSegment[] = await vad.detectSpeech('/a.wav', VAD_PRESETS.meeting satisfies VadOptions);
  const realtime: RealtimeOptions = { audioSliceSec: 30, transcribeOptions: { language: 'en' } };
  const transcriber = new RealtimeTranscriber(
    { whisperContext: context, vadContext: vad, audioStream: new AudioPcmStreamAdapter() },
    realtime,
    { onTranscribe: (event) => void event.data?.result },
  );
  await transcriber.start();
  void [speech, new SimulateFileAudioStreamAdapter({}), mock.initWhisper];
  return promise;
}
