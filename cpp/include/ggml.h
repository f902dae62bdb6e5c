/* The small part of ggml that programs for whisper.h use: log levels, callbacks, clocks. Names and values are upstream's. */
#ifndef GGML_H
#define GGML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#    define GGML_API __attribute__((visibility("default")))
#else
#    define GGML_API
#endif

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

/* The same as whisper_log_set(): there is one log. Null restores the default. */
GGML_API void ggml_log_set(ggml_log_callback log_callback, void * user_data);

/* A steady clock, from an arbitrary start. time_init() may be called and does nothing. */
GGML_API void    ggml_time_init(void);
GGML_API int64_t ggml_time_ms  (void);
GGML_API int64_t ggml_time_us  (void);

#ifdef __cplusplus
}
#endif

#endif
