/* What whisper.h cannot carry: the last error, capabilities, choice of what computes, audio intake, grammar text, more options, words, quantisation, memory and statistics.
 * C11. See whisper.h for transcription itself, and for the rules that hold for all functions. */
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
 * valid until the next call on this thread; never null. Where whisper.cpp stands behind whisper.h, its functions set neither: its log tells. */
WHISPER_API int          whisper_ext_last_error_code(void);
WHISPER_API const char * whisper_ext_last_error(void);
WHISPER_API void         whisper_ext_clear_error(void);

/* ---- what this build can do ---- */

/* Numbers never change; new ones are added at the end. */
enum whisper_ext_capability {
    WHISPER_EXT_CAN_METAL            = 0, /* a Metal back-end is built in */
    WHISPER_EXT_CAN_COREML           = 1, /* so is a Core ML encoder */
    WHISPER_EXT_CAN_OPENVINO         = 2, /* and OpenVINO's */
    WHISPER_EXT_CAN_BEAM_TOP_K       = 3, /* beam search takes the true most probable candidates and gives the same text everywhere */
    WHISPER_EXT_CAN_DTW              = 4, /* token times by alignment, with fused attention */
    WHISPER_EXT_CAN_EXTRA_OPTIONS    = 5, /* whisper_ext_full() */
    WHISPER_EXT_CAN_MEMORY_ESTIMATE  = 6, /* whisper_ext_estimate_memory() */
    WHISPER_EXT_CAN_FULL_AUDIO       = 7, /* whisper_ext_full_audio() */
    WHISPER_EXT_CAN_STATS            = 8  /* whisper_ext_get_stats() */
};

/* False also for a number that this version does not know. */
WHISPER_API bool whisper_ext_can(enum whisper_ext_capability capability);

/* ---- choice of what computes ---- */

/* Numbers never change; new ones are added at the end. What is not built in, not on this machine, or refuses the model leaves the CPU and
 * the own encoder, and the reasons below say why: ask whisper_ext_can() to be strict. */
enum whisper_ext_backend {
    WHISPER_EXT_BACKEND_AUTO     = 0, /* the GPU if use_gpu is set, and an encoder of Core ML or OpenVINO that lies beside the model */
    WHISPER_EXT_BACKEND_CPU      = 1, /* the CPU alone */
    WHISPER_EXT_BACKEND_METAL    = 2, /* Metal, encoder included */
    WHISPER_EXT_BACKEND_COREML   = 3, /* Core ML's encoder; the rest as for AUTO */
    WHISPER_EXT_BACKEND_OPENVINO = 4  /* OpenVINO's encoder; the rest as for AUTO */
};

/* How a model is loaded, beside whisper_context_params. Begin with whisper_ext_default_context_options(); `size` is the struct's size in the
 * caller's build, so that fields can be added at the end. */
struct whisper_ext_context_options {
    size_t size;

    enum whisper_ext_backend backend;

    /* The encoder of Core ML (.mlmodelc, .mlpackage) or OpenVINO (.xml). Null is the one beside the model, by whisper.cpp's names:
     * <model>-encoder.mlmodelc, <model>-encoder.mlpackage, <model>-encoder-openvino.xml for <model>.bin and <model>-q5_0.bin. An encoder
     * that says that it was made of another model is not used. */
    const char * encoder_path;

    /* Folder for what Core ML and OpenVINO compile on this machine. Null: the application's caches for Core ML, none for OpenVINO. */
    const char * cache_path;

    /* Without a state of its own, as by the _no_state functions; false is the default. */
    bool no_state;
};

WHISPER_API struct whisper_ext_context_options whisper_ext_default_context_options(void);

/* whisper_init_from_file_with_params() and the like with more options; null are the defaults, which those functions have, too. A loader's model
 * and one in a buffer have no encoder beside them. INVALID_ARGUMENT for a number that is no back-end. */
WHISPER_API struct whisper_context * whisper_ext_init_from_file  (const char * path_model, struct whisper_context_params params, const struct whisper_ext_context_options * options);
WHISPER_API struct whisper_context * whisper_ext_init_from_buffer(void * buffer, size_t buffer_size, struct whisper_context_params params, const struct whisper_ext_context_options * options);
WHISPER_API struct whisper_context * whisper_ext_init            (struct whisper_model_loader * loader, struct whisper_context_params params, const struct whisper_ext_context_options * options);

/* Why the context computes on the back-end that it does, as one line: "cpu: no GPU back-end is built in". After a GPU has failed and the CPU
 * did its work, as when the system takes it from an app in the background, also how often and why. Never null; lives as long as the context,
 * or until this thread's next call. */
WHISPER_API const char * whisper_ext_backend_reason(struct whisper_context * ctx);

/* What encodes: "own", "coreml" or "openvino"; static. And why, with how long it took to load and the first window took: "coreml:
 * ggml-base-encoder.mlpackage, compiled in 812 ms, loaded in 95 ms, first window in 130 ms", or "own: " and a reason; lives as long as the
 * context. Both are never null, and change when an encoder fails: the own one then computes, from the same window on. */
WHISPER_API const char * whisper_ext_encoder_name  (struct whisper_context * ctx);
WHISPER_API const char * whisper_ext_encoder_reason(struct whisper_context * ctx);

/* ---- memory ---- */

struct whisper_ext_memory {
    int64_t weights_bytes; /* of the context */
    int64_t state_bytes;   /* caches and buffers of each state, for the default number of decoders */
};

/* What loading a model would take, from its header and tensor list, without loading it: exact for this build. False on error, with
 * last_error as whisper_init_from_file_with_params() would set it. */
WHISPER_API bool whisper_ext_estimate_memory(const char * path_model, struct whisper_ext_memory * memory);

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

/* The same file, but its samples stay there and are read as they are needed. A pipe is read to its end first. Same errors,
 * but for a sample that is not finite, which is found when it is read. */
WHISPER_API struct whisper_ext_audio * whisper_ext_audio_open(const char * path);

/* Samples of the recording, owned by it; null for one that stays in its file. */
WHISPER_API const float *                   whisper_ext_audio_samples  (const struct whisper_ext_audio * audio);
WHISPER_API int64_t                         whisper_ext_audio_n_samples(const struct whisper_ext_audio * audio);
WHISPER_API struct whisper_ext_audio_format whisper_ext_audio_format_of(const struct whisper_ext_audio * audio);

/* Resamples mono audio, 1 Hz .. 1 MHz on both sides. Writes at most n_out samples and returns the full length,
 * ceil(n_samples * to_hz / from_hz); call with out null to ask for it. -1 on error. */
WHISPER_API int64_t whisper_ext_resample(const float * samples, int64_t n_samples, int from_hz, int to_hz, float * out, int64_t n_out);

/* ---- files and formats of the platform ---- */

/* An open file, or a part of one. */
struct whisper_ext_opened {
    int     descriptor; /* of a regular file, for reading; this library closes it */
    int64_t offset;     /* of the first byte */
    int64_t n_bytes;    /* -1: to the end of the file */
};

/* Opens what a path names; false if it cannot, with a sentence in message (UTF-8, n_message bytes with the 0 at its end). Any thread
 * may call it, also several at once. */
typedef bool (*whisper_ext_opener)(const char * path, struct whisper_ext_opened * opened, char * message, size_t n_message, void * user_data);

/* For the whole process: from now on every path of the form "scheme://...", in all functions that take a path, is opened by this one;
 * "file://..." is refused as before. Null: by nobody. Calls that began before may still use the one before. Where whisper.cpp stands behind
 * whisper.h, for recordings only. */
WHISPER_API void whisper_ext_set_opener(whisper_ext_opener opener, void * user_data);

/* Receives 16 kHz mono samples in order, valid during the call; false: the decoder has to stop. */
typedef bool (*whisper_ext_samples)(const float * samples, size_t n_samples, void * sink);

/* Decodes the recording that a path names, from its beginning to its end; false if it cannot, with a sentence in message, as above. */
typedef bool (*whisper_ext_decoder)(const char * path, whisper_ext_samples receive, void * sink, char * message, size_t n_message, void * user_data);

/* For the whole process: from now on recordings that are no WAV files are decoded by this one, and kept in memory. Null: by nobody. */
WHISPER_API void whisper_ext_set_decoder(whisper_ext_decoder decoder, void * user_data);

/* ---- grammars ---- */

/* A grammar in GBNF, parsed: rules for whisper_full_params.grammar_rules. */
struct whisper_ext_grammar;

/* Null on error, with last_error BAD_FORMAT naming line and column. start_rule: "root" if null; it must be defined. */
WHISPER_API struct whisper_ext_grammar * whisper_ext_grammar_parse(const char * text, const char * start_rule);
WHISPER_API void                         whisper_ext_grammar_free (struct whisper_ext_grammar * grammar); /* null is allowed */

/* What goes into whisper_full_params; owned by the grammar. */
WHISPER_API const whisper_grammar_element ** whisper_ext_grammar_rules     (const struct whisper_ext_grammar * grammar);
WHISPER_API size_t                           whisper_ext_grammar_n_rules   (const struct whisper_ext_grammar * grammar);
WHISPER_API size_t                           whisper_ext_grammar_start_rule(const struct whisper_ext_grammar * grammar);

/* ---- more options ---- */

/* Options beside whisper_full_params. Begin with whisper_ext_default_options(); `size` is the struct's size in the caller's build, so that
 * fields can be added at the end: those that it does not reach have their defaults. */
struct whisper_ext_options {
    size_t size;

    /* Text whose compressed size is smaller by more than this factor is a repetition, and is decoded again, hotter: as
     * OpenAI's compression_ratio_threshold (2.4 there). 0 is off, the default. */
    float compression_ratio_thold;

    /* Languages, codes or names, among which detection chooses; null with 0 is all. */
    const char * const * language_candidates;
    int                  n_language_candidates;

    /* Seed of the draws at temperatures above 0; 0 is the default. */
    uint64_t seed;

    /* Parts that are transcribed at the same time, from 1 (more than 64 are 64), as by whisper_full_parallel() but also on a state of its own; 1 is the
     * default. */
    int n_parts;
};

WHISPER_API struct whisper_ext_options whisper_ext_default_options(void);

/* whisper_full_with_state() with more options; state null is the context's own, options null are the defaults. */
WHISPER_API int whisper_ext_full(
        struct whisper_context * ctx, struct whisper_state * state, struct whisper_full_params params, const struct whisper_ext_options * options, const float * samples, int n_samples);

/* The same for a recording, from memory or in its file: with whisper_ext_audio_open(), samples and features do not grow memory with its length, and
 * the result is the same. A file is read as it goes, at least twice, since features need the loudest sound of all; one that cannot be read any
 * longer has last_error IO or BAD_FORMAT and the code of the stage: -2 before the first window, -3 in detecting the language, -6 in a
 * window. Of a file, the state holds no features afterwards for whisper_encode() and whisper_lang_auto_detect(). Any number of calls may use one
 * recording. Needs WHISPER_EXT_CAN_FULL_AUDIO. */
WHISPER_API int whisper_ext_full_audio(
        struct whisper_context * ctx, struct whisper_state * state, struct whisper_full_params params, const struct whisper_ext_options * options, const struct whisper_ext_audio * audio);

/* Probability, 0..1, of the language that the last transcription used; 1 where it was named, 0 before any. -1 from a core that does not tell. */
WHISPER_API float whisper_ext_full_lang_probability           (struct whisper_context * ctx);
WHISPER_API float whisper_ext_full_lang_probability_from_state(struct whisper_state * state);

/* ---- stopping ---- */

/* A callback for the calls of whisper.h that take none: what calls on a state compute step by step (features, encoder, decoder, detection of the
 * language), and the detection of speech. It is asked on the thread of the call, between operations, and of speech about once a second of audio; true
 * stops the call, which fails with last_error CANCELLED, and leaves the state fit for the next one. It stays until another is set; null is none.
 * Transcriptions ask that of their parameters alone. state null is the context's own. False on error: a null context, BUSY, UNSUPPORTED. */
WHISPER_API bool whisper_ext_set_abort    (struct whisper_context * ctx, struct whisper_state * state, ggml_abort_callback abort_callback, void * user_data);
WHISPER_API bool whisper_ext_vad_set_abort(struct whisper_vad_context * vctx, ggml_abort_callback abort_callback, void * user_data);

/* ---- words ---- */

/* A word of a segment: a run of its text tokens, with the punctuation that belongs to it. In languages without spaces a word is one
 * character or what the tokens give. */
struct whisper_ext_word {
    const char * text;    /* as in the segment, with its leading space */
    int64_t      t0;      /* 10 ms units; -1 unless token times were asked for */
    int64_t      t1;
    float        p;       /* mean probability of its tokens, 0..1 */
    int          i_token; /* its first token in the segment */
    int          n_tokens;
};

struct whisper_ext_words;

/* Words of a segment of the last transcription; their texts together are the segment's text. Null on error (index). */
WHISPER_API struct whisper_ext_words * whisper_ext_words_of_segment(struct whisper_context * ctx, struct whisper_state * state, int i_segment);
WHISPER_API int                        whisper_ext_words_n         (const struct whisper_ext_words * words);
WHISPER_API struct whisper_ext_word    whisper_ext_words_get       (const struct whisper_ext_words * words, int i); /* zeros for an index outside */
WHISPER_API void                       whisper_ext_words_free      (struct whisper_ext_words * words); /* null is allowed */

/* ---- quantisation ---- */

/* Types of quantised rows, by the numbers that model files use. Blocks have 32 values, those of the K-quants 256. */
enum whisper_ext_row_type {
    WHISPER_EXT_ROW_Q4_0 = 2,
    WHISPER_EXT_ROW_Q4_1 = 3,
    WHISPER_EXT_ROW_Q5_0 = 6,
    WHISPER_EXT_ROW_Q5_1 = 7,
    WHISPER_EXT_ROW_Q8_0 = 8,
    WHISPER_EXT_ROW_Q2_K = 10,
    WHISPER_EXT_ROW_Q3_K = 11,
    WHISPER_EXT_ROW_Q4_K = 12,
    WHISPER_EXT_ROW_Q5_K = 13,
    WHISPER_EXT_ROW_Q6_K = 14
};

/* Bytes of one row of n_columns values. -1 on error, INVALID_ARGUMENT: an unknown type, or n_columns is no whole number of its blocks. */
WHISPER_API int64_t whisper_ext_quantized_row_bytes(int type, int64_t n_columns);

/* Quantises n_rows rows of n_columns floats, one after the other, and returns the bytes written: n_rows times those of a row. The same
 * bytes as ggml's quantisers give without importances, on every machine. Rows do not depend on each other, so that a matrix may be given
 * in parts and from several threads. capacity: bytes of destination. -1 on error, INVALID_ARGUMENT: what row_bytes refuses, a null pointer, too
 * small a capacity, a value that is not finite; destination may then be written in part. */
WHISPER_API int64_t whisper_ext_quantize_rows(int type, const float * source, int64_t n_rows, int64_t n_columns, void * destination, size_t capacity);

/* ---- names of old ---- */

/* Speed-up by a phase vocoder, which whisper.cpp took out of whisper.h in 1.7; kept so that programs of then link. Always -1, with
 * last_error UNSUPPORTED. */
WHISPER_API int whisper_pcm_to_mel_phase_vocoder           (struct whisper_context * ctx, const float * samples, int n_samples, int n_threads);
WHISPER_API int whisper_pcm_to_mel_phase_vocoder_with_state(struct whisper_context * ctx, struct whisper_state * state, const float * samples, int n_samples, int n_threads);

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

/* Statistics of the context's own state, and of any state. Zeros for null, and without WHISPER_EXT_CAN_STATS. */
WHISPER_API struct whisper_ext_stats whisper_ext_get_stats(struct whisper_context * ctx);
WHISPER_API struct whisper_ext_stats whisper_ext_get_stats_from_state(struct whisper_context * ctx, struct whisper_state * state);

/* Name of the back-end that computes ("cpu"), and of the CPU kernel table in use ("avx2", "scalar"). Never null; static. */
WHISPER_API const char * whisper_ext_backend_name(struct whisper_context * ctx);
WHISPER_API const char * whisper_ext_kernel_table(void);

#ifdef __cplusplus
}
#endif

#endif
