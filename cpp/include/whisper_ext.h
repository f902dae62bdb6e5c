/* What whisper.h cannot carry: the last error, audio intake, statistics. C11. See whisper.h for transcription itself. */
#ifndef WHISPER_EXT_H
#define WHISPER_EXT_H

#include "whisper.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Error codes of the whole library; the numbers never change. */
enum whisper_ext_code {
    WHISPER_EXT_OK               = 0,
    WHISPER_EXT_INVALID_ARGUMENT = 1, /* a value outside its documented range */
    WHISPER_EXT_NOT_FOUND        = 2, /* a file or name that does not exist */
    WHISPER_EXT_BAD_FORMAT       = 3, /* wrong, cut, foreign or hostile data */
    WHISPER_EXT_UNSUPPORTED      = 4, /* understood, but this build cannot do it */
    WHISPER_EXT_OUT_OF_MEMORY    = 5,
    WHISPER_EXT_CANCELLED        = 6, /* an abort callback said stop */
    WHISPER_EXT_IO               = 7, /* the operating system failed to read */
    WHISPER_EXT_BUSY             = 8, /* the context or state is in use by another call */
    WHISPER_EXT_INTERNAL         = 9  /* a bug of this library */
};

/* Code and text of the last call of whisper.h or this header that failed on the calling thread: what was found, what was
 * expected, where. A call that succeeds leaves them alone; whisper_ext_clear_error() resets them. The text is UTF-8 and
 * valid until the next call on this thread; never null. */
WHISPER_API int          whisper_ext_last_error_code(void);
WHISPER_API const char * whisper_ext_last_error(void);
WHISPER_API void         whisper_ext_clear_error(void);

/* ---- audio intake ---- */

/* A decoded recording: 16 kHz mono float samples and the format that they came in. */
struct whisper_ext_audio;

struct whisper_ext_audio_format {
    int     sample_rate_hz;
    int     channels;
    int     bits_per_sample;
    bool    is_float;
    int64_t frames;          /* samples per channel in the file */
};

/* Decodes a WAV file: chunks in any order, PCM 8/16/24/32 bit, float 32/64, EXTENSIBLE, any channel count (averaged) and
 * sample rate (band-limited resampling to 16 kHz). Null on error, with last_error: NOT_FOUND, IO, BAD_FORMAT (naming what the file is instead),
 * UNSUPPORTED, OUT_OF_MEMORY. The caller frees the result. */
WHISPER_API struct whisper_ext_audio * whisper_ext_audio_from_file  (const char * path);
WHISPER_API struct whisper_ext_audio * whisper_ext_audio_from_memory(const void * data, size_t size);
WHISPER_API void                       whisper_ext_audio_free       (struct whisper_ext_audio * audio); /* null is allowed */

/* Samples of the recording, owned by it. */
WHISPER_API const float *                   whisper_ext_audio_samples  (const struct whisper_ext_audio * audio);
WHISPER_API int64_t                         whisper_ext_audio_n_samples(const struct whisper_ext_audio * audio);
WHISPER_API struct whisper_ext_audio_format whisper_ext_audio_format_of(const struct whisper_ext_audio * audio);

/* Resamples mono audio, 1 Hz .. 1 MHz on both sides. Writes at most n_out samples and returns the full length,
 * ceil(n_samples * to_hz / from_hz); call with out null to ask for it. -1 on error. */
WHISPER_API int64_t whisper_ext_resample(const float * samples, int64_t n_samples, int from_hz, int to_hz, float * out, int64_t n_out);

/* ---- statistics ---- */

/* Times in milliseconds since the state was made or whisper_reset_timings(); counts of what they are for; memory in bytes. */
struct whisper_ext_stats {
    float   load_ms;        /* of the model */
    float   mel_ms;
    float   sample_ms;      /* choosing tokens */
    float   encode_ms;      /* convolution, encoder and cross-attention keys */
    float   decode_ms;      /* steps of one token */
    float   batchd_ms;      /* steps of 2 to 15 tokens */
    float   prompt_ms;      /* steps of 16 tokens and more */
    int32_t n_encode;       /* windows */
    int32_t n_decode;       /* calls */
    int32_t n_batchd;       /* tokens */
    int32_t n_prompt;       /* tokens */
    int32_t n_sample;       /* tokens chosen */
    int32_t n_fail_p;       /* fallbacks: windows that were decoded again, hotter */
    int32_t n_fail_h;       /* attempts in which a text was rejected for its low entropy (repetition) */
    int64_t weights_bytes;
    int64_t state_bytes;    /* caches and phase buffers of one state */
};

/* Statistics of the context's own state, and of any state. Zeros for null. */
WHISPER_API struct whisper_ext_stats whisper_ext_get_stats(struct whisper_context * ctx);
WHISPER_API struct whisper_ext_stats whisper_ext_get_stats_from_state(struct whisper_context * ctx, struct whisper_state * state);

/* Name of the back-end that computes ("cpu"), and of the CPU kernel table in use ("avx2", "scalar"). Never null; static. */
WHISPER_API const char * whisper_ext_backend_name(struct whisper_context * ctx);
WHISPER_API const char * whisper_ext_kernel_table(void);

#ifdef __cplusplus
}
#endif

#endif
