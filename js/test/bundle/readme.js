// A program as whisper.rn's README shows its API, with only the import changed: model, transcription, progress, stopping,
// voice activity, release. The files come from whoever runs it, and the answer goes there.
import { initWhisper, initWhisperVad, releaseAllWhisper, releaseAllWhisperVad } from 'wsp.rn';

/** files: {model, audio, vadModel}, file URLs or paths; vadModel may be left out. */
export async function readmeProgram(files) {
  const whisperContext = await initWhisper({ filePath: files.model });
  const progress = [];
  const options = { language: 'en', maxThreads: 2, onProgress: (percent) => progress.push(percent) };
  const { promise } = whisperContext.transcribe(files.audio, options);
  const { result, segments, isAborted } = await promise;

  const second = whisperContext.transcribe(files.audio, { language: 'en' });
  await second.stop();
  const stopped = await second.promise;

  let speech = [];
  if (files.vadModel !== undefined) {
    const vadContext = await initWhisperVad({ filePath: files.vadModel, useGpu: true, nThreads: 4 });
    speech = await vadContext.detectSpeech(files.audio, {
      threshold: 0.5,
      minSpeechDurationMs: 250,
      minSilenceDurationMs: 100,
      maxSpeechDurationS: 30,
      speechPadMs: 30,
      samplesOverlap: 0.1,
    });
    await vadContext.release();
  }
  await releaseAllWhisperVad();
  await releaseAllWhisper();
  return { result, segments, isAborted, progress, stopped: stopped.isAborted, speech };
}
