/* One run of a Whisper core in a process of its own: loads a model, transcribes, times each phase, prints JSON.
 *
 * Knows whisper.h and nothing else, so that one text is compiled against our core and against whisper.cpp, and both are
 * measured from outside by the same clocks. It must not know which of them it has.
 *
 * Usage: bench_subject MODEL SAMPLES LANGUAGE N_THREADS run|whole|phases|count
 *   SAMPLES  16 kHz mono float32 samples, nothing else in the file
 *   run      load, transcribe, then time the phases; whole: without the phases; phases: nothing but load and them;
 *            count: encoder and one step, for an emulator that counts instructions between marks
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "whisper.h"

enum {
  REPEATS = 3,         /* of mel, encoder and prompt: their median is printed */
  STEPS = 24,          /* single-token steps: as many as a sentence has */
  PROMPT_TOKENS = 200, /* near the most text of earlier windows that a prompt holds, 223 tokens */
  BEAMS = 5,
  READ_BYTES = 1 << 20
};

/* A write that always fails: no effect on the run, and an emulator sees the number go by. */
static void mark(int number) {
  if (write(-1, "", (size_t)number) == 0) {
    fail("a write to no file succeeded");
  }
}

static float* read_samples(const char* path, int* n_samples) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
    fail("cannot open the samples");
  }
  const long bytes = ftell(file);
  rewind(file);
  float* samples = malloc((size_t)bytes);
  if (samples == NULL || fread(samples, 1, (size_t)bytes, file) != (size_t)bytes) {
    fail("cannot read the samples");
  }
  fclose(file);
  *n_samples = (int)((size_t)bytes / sizeof(float));
  return samples;
}

/* What reading the model's file costs without keeping it: the yardstick of loading. */
static struct moment read_file(const char* path) {
  char* buffer = malloc(READ_BYTES);
  FILE* file = fopen(path, "rb");
  if (buffer == NULL || file == NULL) {
    fail("cannot open the model");
  }
  setvbuf(file, NULL, _IONBF, 0);
  const struct moment begin = now();
  while (fread(buffer, 1, READ_BYTES, file) == READ_BYTES) {
  }
  const struct moment spent = since(begin);
  fclose(file);
  free(buffer);
  return spent;
}

static int by_wall(const void* a, const void* b) {
  const double difference = ((const struct moment*)a)->wall_s - ((const struct moment*)b)->wall_s;
  return (difference > 0) - (difference < 0);
}

static void print_phase(const char* name, struct moment* times, int n, bool* first) {
  qsort(times, (size_t)n, sizeof(*times), by_wall);
  const struct moment median = times[n / 2];
  printf("%s\"%s\": {\"wall_ms\": %.6f, \"cpu_ms\": ", *first ? "" : ", ", name, median.wall_s * 1e3);
  if (median.cpu_s < 0) {
    printf("null}");
  } else {
    printf("%.6f}", median.cpu_s * 1e3);
  }
  *first = false;
}

static struct whisper_full_params parameters(enum whisper_sampling_strategy strategy, const char* language,
                                             int n_threads) {
  struct whisper_full_params params = whisper_full_default_params(strategy);
  params.n_threads = n_threads;
  params.language = language;
  params.print_progress = false;
  params.print_timestamps = false;
  /* Every core does the same work: one try at temperature 0, no text of earlier windows. */
  params.temperature_inc = 0.0F;
  params.n_max_text_ctx = 0;
  params.greedy.best_of = 1;
  params.beam_search.beam_size = BEAMS;
  return params;
}

/* A step of five sequences, from a search with five beams: the interface has no call for one step of it. */
static struct moment batched_step(struct whisper_context* ctx, const char* language, int n_threads,
                                  const float* samples, int n_samples) {
  const int n_most = 30 * WHISPER_SAMPLE_RATE;
  whisper_reset_timings(ctx);
  if (whisper_full(ctx, parameters(WHISPER_SAMPLING_BEAM_SEARCH, language, n_threads), samples,
                   n_samples < n_most ? n_samples : n_most) != 0) {
    fail("the search with beams failed");
  }
  struct whisper_timings* timings = whisper_get_timings(ctx);
  if (timings == NULL) {
    fail("no timings");
  }
  const struct moment step = {1e-3 * BEAMS * (double)timings->batchd_ms, UNKNOWN};
  free(timings);
  return step;
}

static void print_phases(struct whisper_context* ctx, const char* language, int n_threads, const float* samples,
                         int n_samples, bool with_beams) {
  struct moment times[STEPS];
  bool first = true;
  for (int i = 0; i < REPEATS; ++i) {
    const struct moment begin = now();
    if (whisper_pcm_to_mel(ctx, samples, n_samples, n_threads) != 0) {
      fail("the features failed");
    }
    times[i] = since(begin);
  }
  print_phase("mel", times, REPEATS, &first);

  for (int i = 0; i < REPEATS; ++i) {
    const struct moment begin = now();
    if (whisper_encode(ctx, 0, n_threads) != 0) {
      fail("the encoder failed");
    }
    times[i] = since(begin);
  }
  print_phase("encode", times, REPEATS, &first);

  whisper_token tokens[PROMPT_TOKENS];
  for (int i = 0; i < PROMPT_TOKENS; ++i) {
    tokens[i] = 1000 + i; /* ordinary words of every vocabulary */
  }
  tokens[0] = whisper_token_sot(ctx);
  for (int i = 0; i < REPEATS; ++i) {
    const struct moment begin = now();
    if (whisper_decode(ctx, tokens, PROMPT_TOKENS, 0, n_threads) != 0) {
      fail("the prompt failed");
    }
    times[i] = since(begin);
  }
  print_phase("prompt", times, REPEATS, &first);

  for (int i = 0; i < STEPS; ++i) {
    const struct moment begin = now();
    if (whisper_decode(ctx, tokens + i, 1, i, n_threads) != 0) {
      fail("the decoder failed");
    }
    times[i] = since(begin);
  }
  print_phase("decode", times, STEPS, &first);

  if (with_beams) {
    times[0] = batched_step(ctx, language, n_threads, samples, n_samples);
    print_phase("batched", times, 1, &first);
  }
}

/* Marks: 1 encoder begins, 2 it ends, 3 a step with one earlier token begins, 4 it ends. */
static void run_marked(struct whisper_context* ctx, int n_threads, const float* samples, int n_samples) {
  whisper_token tokens[2] = {whisper_token_sot(ctx), 1000};
  if (whisper_pcm_to_mel(ctx, samples, n_samples, n_threads) != 0) {
    fail("the features failed");
  }
  mark(1);
  const int encoded = whisper_encode(ctx, 0, n_threads);
  mark(2);
  if (encoded != 0 || whisper_decode(ctx, tokens, 1, 0, n_threads) != 0) {
    fail("the model failed");
  }
  mark(3);
  const int decoded = whisper_decode(ctx, tokens + 1, 1, 1, n_threads);
  mark(4);
  if (decoded != 0) {
    fail("the decoder failed");
  }
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: bench_subject MODEL SAMPLES LANGUAGE N_THREADS run|whole|phases|count\n");
    return 2;
  }
  const char* model = argv[1];
  const char* language = argv[3];
  const int n_threads = atoi(argv[4]);
  const bool with_phases = strcmp(argv[5], "whole") != 0;
  const bool runs = strcmp(argv[5], "phases") != 0;
  int n_samples = 0;
  float* samples = read_samples(argv[2], &n_samples);
  whisper_log_set(drop_log, NULL);

  read_file(model); /* now it is in the system's cache, for whoever reads it next */
  const struct moment reading = read_file(model);
  const struct moment begin = now();
  struct whisper_context_params params = whisper_context_default_params();
  params.use_gpu = false;
  struct whisper_context* ctx = whisper_init_from_file_with_params(model, params);
  const struct moment loading = since(begin);
  if (ctx == NULL) {
    fail("the model does not load");
  }
  if (strcmp(argv[5], "count") == 0) {
    run_marked(ctx, n_threads, samples, n_samples);
    puts("{}");
    whisper_free(ctx);
    free(samples);
    return 0;
  }

  printf("{\"system\": \"");
  print_text(whisper_print_system_info());
  printf("\", \"audio_s\": %.3f, \"read_s\": %.6f, \"load_s\": %.6f, ", n_samples / (double)WHISPER_SAMPLE_RATE,
         reading.wall_s, loading.wall_s);
  if (runs) {
    if (whisper_full(ctx, parameters(WHISPER_SAMPLING_GREEDY, language, n_threads), samples, n_samples) != 0) {
      fail("the transcription failed");
    }
    const struct moment whole = since(begin);
    printf("\"wall_s\": %.6f, \"cpu_s\": %.6f, \"peak_bytes\": %lld, \"text\": \"", whole.wall_s, whole.cpu_s,
           peak_bytes() - (long long)n_samples * (long long)sizeof(float));
    for (int i = 0; i < whisper_full_n_segments(ctx); ++i) {
      print_text(whisper_full_get_segment_text(ctx, i));
    }
    printf("\", ");
  }
  printf("\"phases\": {");
  if (with_phases) {
    print_phases(ctx, language, n_threads, samples, n_samples, runs);
  }
  printf("}}\n");
  whisper_free(ctx);
  free(samples);
  return 0;
}
