/* Transcribes recordings with a back-end by its number, through the two public headers alone. Prints a line of JSON
 * without escapes for each: text, milliseconds of the encoder, its name and its reason.
 *
 * Usage: encoders BACKEND MODEL ENCODER|- AUDIO_CTX RECORDING...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "whisper.h"
#include "whisper_ext.h"

static void fail(void) {
  fprintf(stderr, "encoders: %s\n", whisper_ext_last_error());
  exit(1);
}

int main(int argc, char** argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: encoders BACKEND MODEL ENCODER|- AUDIO_CTX RECORDING...\n");
    return 2;
  }
  struct whisper_ext_context_options options = whisper_ext_default_context_options();
  options.backend = (enum whisper_ext_backend)atoi(argv[1]);
  options.encoder_path = strcmp(argv[3], "-") == 0 ? NULL : argv[3];
  struct whisper_context* ctx = whisper_ext_init_from_file(argv[2], whisper_context_default_params(), &options);
  if (ctx == NULL) {
    fail();
  }
  for (int i = 5; i < argc; ++i) {
    struct whisper_ext_audio* audio = whisper_ext_audio_open(argv[i]);
    if (audio == NULL) {
      fail();
    }
    struct whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
    params.print_progress = false;
    params.n_threads = 2;
    params.audio_ctx = atoi(argv[4]);
    whisper_reset_timings(ctx);
    if (whisper_ext_full_audio(ctx, NULL, params, NULL, audio) != 0) {
      fail();
    }
    printf("{\"text\": \"");
    for (int j = 0; j < whisper_full_n_segments(ctx); ++j) {
      fputs(whisper_full_get_segment_text(ctx, j), stdout);
    }
    printf("\", \"encode_ms\": %.1f, \"windows\": %d, \"encoder\": \"%s\", \"reason\": \"%s\"}\n",
           (double)whisper_ext_get_stats(ctx).encode_ms, whisper_ext_get_stats(ctx).n_encode,
           whisper_ext_encoder_name(ctx), whisper_ext_encoder_reason(ctx));
    whisper_ext_audio_free(audio);
  }
  whisper_free(ctx);
  return 0;
}
