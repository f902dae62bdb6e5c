/* Transcribes a recording by the two public headers alone and prints its text: what is built for another system is
 * tried with it.
 *
 * Usage: transcribe MODEL RECORDING
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whisper.h"
#include "whisper_ext.h"

static void fail(void) {
  fprintf(stderr, "transcribe: %s\n", whisper_ext_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: transcribe MODEL RECORDING\n");
    return 2;
  }
  struct whisper_context* ctx = whisper_init_from_file_with_params(argv[1], whisper_context_default_params());
  if (ctx == NULL) {
    fail();
  }
  struct whisper_ext_audio* audio = whisper_ext_audio_open(argv[2]);
  if (audio == NULL) {
    fail();
  }
  struct whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  params.print_progress = false;
  params.n_threads = 2;
  if (whisper_ext_full_audio(ctx, NULL, params, NULL, audio) != 0) {
    fail();
  }
  fprintf(stderr, "%s\n", whisper_print_system_info());
  for (int i = 0; i < whisper_full_n_segments(ctx); ++i) {
    const char* text = whisper_full_get_segment_text(ctx, i);
    fputs(i == 0 && strncmp(text, " ", 1) == 0 ? text + 1 : text, stdout);
  }
  fputs("\n", stdout);
  whisper_ext_audio_free(audio);
  whisper_free(ctx);
  return 0;
}
