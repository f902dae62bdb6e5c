/* What the programs of the benchmark need of their process: clocks, peak memory, JSON text, a quiet log. Knows
 * whisper.h for the log alone. */
#ifndef SPEECH_BENCH_PROCESS_H
#define SPEECH_BENCH_PROCESS_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "whisper.h"

struct moment {
  double wall_s;
  double cpu_s; /* of all threads; UNKNOWN where a core tells wall time only */
};

#define UNKNOWN (-1.0)

static inline double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline struct moment now(void) {
  struct moment moment = {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
  return moment;
}

static inline struct moment since(struct moment begin) {
  struct moment end = now();
  end.wall_s -= begin.wall_s;
  end.cpu_s -= begin.cpu_s;
  return end;
}

static inline void fail(const char* what) {
  fprintf(stderr, "benchmark: %s\n", what);
  exit(1);
}

static inline void drop_log(enum ggml_log_level level, const char* text, void* user_data) {
  (void)user_data;
  if (level == GGML_LOG_LEVEL_ERROR) {
    fputs(text, stderr);
  }
}

/* Most memory that this process has held, in bytes; 0 where nobody tells. Not getrusage(): that counts what the parent
 * held before this program began. */
static inline long long peak_bytes(void) {
  long long kilobytes = 0;
  char line[256];
  FILE* file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
    if (sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1) {
      break;
    }
  }
  if (file != NULL) {
    fclose(file);
  }
  return kilobytes * 1024;
}

static inline void print_text(const char* text) {
  for (; *text != '\0'; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20) {
      printf("\\u%04x", c);
    } else {
      putchar(c);
    }
  }
}

#endif
