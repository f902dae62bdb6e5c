// A call of whisper.rn on top of a job, whose audio may have to be fetched first.
import type { Job } from '../job.js';
import type { TranscribeTask } from './types.js';

/** Starts at once, or when the audio is there; stopping before that is kept in mind. */
export function startTask<Audio, Result extends { readonly isCancelled: boolean }, Told>(
  audio: Audio | Promise<Audio>,
  start: (audio: Audio) => Job<Result>,
  tell: (result: Result) => Told,
): TranscribeTask<Told> {
  let job: Job<Result> | undefined;
  let isStopped = false;
  const run = (ready: Audio): Promise<Told> => {
    job = start(ready);
    if (isStopped) {
      job.cancel();
    }
    return job.promise.then(tell);
  };
  const promise = audio instanceof Promise ? audio.then(run) : run(audio);
  const stop = async (): Promise<void> => {
    isStopped = true;
    job?.cancel();
    // Whatever it ends with is told by the promise.
    await promise.catch(() => undefined);
  };
  return { stop, promise };
}
