/* The small part of ggml that users of whisper.h need: log levels and the two callback types. Names and values are upstream's. */
#ifndef GGML_H
#define GGML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ggml_log_level {
    GGML_LOG_LEVEL_NONE  = 0,
    GGML_LOG_LEVEL_DEBUG = 1,
    GGML_LOG_LEVEL_INFO  = 2,
    GGML_LOG_LEVEL_WARN  = 3,
    GGML_LOG_LEVEL_ERROR = 4,
    GGML_LOG_LEVEL_CONT  = 5  /* continues the line before */
};

/* Receives one log line, UTF-8, ended by '\n'. May be called from any thread that works for the caller. */
typedef void (*ggml_log_callback)(enum ggml_log_level level, const char * text, void * user_data);

/* Asked between operations; true stops the work. */
typedef bool (*ggml_abort_callback)(void * data);

#ifdef __cplusplus
}
#endif

#endif
