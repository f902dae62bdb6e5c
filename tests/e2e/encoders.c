/* Transcribes recordings with a back-end by its number, through the two public headers alone. Prints a line of JSON for
 * each: text, milliseconds of the encoder, its name and its reason.
 *
 * Usage: encoders BACKEND|openvino-later MODEL ENCODER|- AUDIO_CTX RECORDING...
 *
 * openvino-later: the CPU alone, to which whisper.h's own function then adds OpenVINO's encoder.
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

/* As the inside of a JSON string. */
static void print_text(const char* text) {
  for (; *text != '\0'; ++text) {
    if (*text == '"' || *text == '\\') {
      putchar('\\');
    }
    putchar(*text);
  }
}

int main(int argc, char** argv) {
  if (argc < 5) {
    fprintf(stderr, "usage: encoders BACKEND|openvino-later MODEL ENCODER|- AUDIO_CTX RECORDING...\n");
    return 2;
  }
  struct whisper_ext_context_options options = whisper_ext_default_context_options();
  const bool is_later = strcmp(argv[1], "openvino-later") == 0;
  const char* encoder = strcmp(argv[3], "-") == 0 ? NULL : argv[3];
  options.backend = is_later ? WHISPER_EXT_BACKEND_CPU : (enum whisper_ext_backend)atoi(argv[1]);
  options.encoder_path = is_later ? NULL : encoder;
  struct whisper_context* ctx = whisper_ext_init_from_file(argv[2], whisper_context_default_params(), &options);
  if (ctx == NULL) {
    fail();
  }
  if (is_later && whisper_ctx_init_openvino_encoder(ctx, encoder, "CPU", NULL) != 0) {
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
      print_text(whisper_full_get_segment_text(ctx, j));
    }
    const struct whisper_ext_stats stats = whisper_ext_get_stats(ctx);
    printf("\", \"encode_ms\": %.1f, \"windows\": %d, \"encoder\": \"%s\", \"reason\": \"", (double)stats.encode_ms,
           stats.n_encode, whisper_ext_encoder_name(ctx));
    print_text(whisper_ext_encoder_reason(ctx));
    printf("\"}\n");
    whisper_ext_audio_free(audio);
  }
  whisper_free(ctx);
  return 0;
}
