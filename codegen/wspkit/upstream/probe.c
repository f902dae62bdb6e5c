/* Calls one copy of a core from a program that holds several; compiled once for each, with NUMBER and the names of the copy put
   in. It knows whisper.h alone. */
#include PUBLIC_HEADER

#include <stdio.h>
#include <stdlib.h>

static struct whisper_context * context;

/* 0 if the model is loaded. */
int probe_open_NUMBER(const char * model);
int probe_open_NUMBER(const char * model) {
  context = whisper_init_from_file_with_params(model, whisper_context_default_params());
  return context ? 0 : 1;
}

static void print_json(const char * text) {
  for (; *text; ++text) {
    if (*text == '"' || *text == '\\') putchar('\\');
    if ((unsigned char)*text >= ' ') putchar(*text);
  }
}

/* Prints what was heard as a JSON string, on a line; 0 if that went well. path: of 32-bit float samples, 16 kHz. */
int probe_transcribe_NUMBER(const char * path);
int probe_transcribe_NUMBER(const char * path) {
  FILE * file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) return 1;
  const size_t count = (size_t)ftell(file) / sizeof(float);
  rewind(file);
  float * samples = (float *)malloc(count * sizeof(float));
  if (!samples || fread(samples, sizeof(float), count, file) != count) return 2;
  fclose(file);
  struct whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  params.print_progress = 0;
  params.print_timestamps = 0;
  params.n_threads = 2;
  if (whisper_full(context, params, samples, (int)count)) return 3;
  putchar('"');
  for (int i = 0; i < whisper_full_n_segments(context); ++i) print_json(whisper_full_get_segment_text(context, i));
  printf("\"\n");
  whisper_free(context);
  free(samples);
  return 0;
}
