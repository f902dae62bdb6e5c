/* One transcription of a recording in its file, by our core alone: loads a model, transcribes, prints JSON as
 * bench_subject does. Shows that memory does not grow with a recording that is read as it is needed.
 *
 * Usage: bench_from_file MODEL RECORDING LANGUAGE N_THREADS
 */
#include <stdio.h>
#include <stdlib.h>

#include "process.h"
#include "whisper.h"
#include "whisper_ext.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: bench_from_file MODEL RECORDING LANGUAGE N_THREADS\n");
    return 2;
  }
  whisper_log_set(drop_log, NULL);
  const struct moment begin = now();
  struct whisper_context* ctx = whisper_init_from_file_with_params(argv[1], whisper_context_default_params());
  const struct moment loading = since(begin);
  struct whisper_ext_audio* audio = whisper_ext_audio_open(argv[2]);
  if (ctx == NULL || audio == NULL) {
    fail(whisper_ext_last_error());
  }
  struct whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  params.n_threads = atoi(argv[4]);
  params.language = argv[3];
  params.print_progress = false;
  params.print_timestamps = false;
  /* The work of bench_subject. */
  params.temperature_inc = 0.0F;
  params.n_max_text_ctx = 0;
  params.greedy.best_of = 1;
  if (whisper_ext_full_audio(ctx, NULL, params, NULL, audio) != 0) {
    fail(whisper_ext_last_error());
  }
  const struct moment whole = since(begin);
  printf("{\"system\": \"");
  print_text(whisper_print_system_info());
  printf("\", \"audio_s\": %.3f, \"load_s\": %.6f, \"wall_s\": %.6f, \"cpu_s\": %.6f, \"peak_bytes\": %lld, ",
         (double)whisper_ext_audio_n_samples(audio) / WHISPER_SAMPLE_RATE, loading.wall_s, whole.wall_s, whole.cpu_s,
         peak_bytes());
  printf("\"text\": \"");
  for (int i = 0; i < whisper_full_n_segments(ctx); ++i) {
    print_text(whisper_full_get_segment_text(ctx, i));
  }
  printf("\", \"phases\": {}}\n");
  whisper_ext_audio_free(audio);
  whisper_free(ctx);
  return 0;
}
