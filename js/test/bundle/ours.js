// A program on the API of wsp.rn: segments and words one by one, a signal, an error, subtitles.
import { AbortError, loadModel, toSrt, WspError } from 'wsp.rn';

/** files: {model, audio}, file URLs or paths. */
export async function ourProgram(files) {
  const context = await loadModel(files.model);
  const job = context.transcribe(files.audio, { words: true });
  const texts = [];
  for await (const segment of job) {
    texts.push(segment.text);
  }
  const words = [];
  for await (const word of job.words()) {
    words.push(word.text);
  }
  const srt = toSrt(await job.promise);

  const signal = { aborted: true, reason: 'never mind', addEventListener() {}, removeEventListener() {} };
  let aborted;
  try {
    await context.transcribe(files.audio, { signal }).promise;
  } catch (error) {
    aborted = [error instanceof AbortError, error.name, error.segments.length];
  }
  await context.release();
  let released;
  try {
    context.transcribe(files.audio);
  } catch (error) {
    released = [error instanceof WspError, error instanceof Error, error.code];
  }
  return { texts, words, srt, aborted, released };
}
