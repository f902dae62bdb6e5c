/* Speech to text with Whisper models: the C API, compatible with whisper.cpp's whisper.h in names, struct layouts and enum
 * values. C11.
 *
 * Use: load a context, call whisper_full(), read the segments.
 *
 *     struct whisper_context * ctx = whisper_init_from_file_with_params("ggml-base.bin", whisper_context_default_params());
 *     if (!ctx) { puts(whisper_ext_last_error()); return 1; }                       // whisper_ext.h
 *     struct whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
 *     if (whisper_full(ctx, params, samples, n_samples) == 0)
 *         for (int i = 0; i < whisper_full_n_segments(ctx); ++i) puts(whisper_full_get_segment_text(ctx, i));
 *     whisper_free(ctx);
 *
 * Rules for all functions: nothing aborts or throws on bad input; functions that can fail say so below and leave a text in
 * whisper_ext_last_error(). Audio is 16 kHz mono float. Strings are UTF-8, owned by the library, and live as long as the
 * context, or for results until the next transcription. Segment times are in units of 10 ms. A context's weights may be
 * shared by many states, each used by one thread at a time; a context's own state likewise.
 */
#ifndef WHISPER_H
#define WHISPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ggml.h"
#include "ggml-cpu.h"

#ifdef __GNUC__
#    define WHISPER_DEPRECATED(func, hint) func __attribute__((deprecated(hint)))
#elif defined(_MSC_VER)
#    define WHISPER_DEPRECATED(func, hint) __declspec(deprecated(hint)) func
#else
#    define WHISPER_DEPRECATED(func, hint) func
#endif

#if defined(_WIN32) && defined(WHISPER_SHARED)
#    ifdef WHISPER_BUILD
#        define WHISPER_API __declspec(dllexport)
#    else
#        define WHISPER_API __declspec(dllimport)
#    endif
#elif defined(__GNUC__)
#    define WHISPER_API __attribute__((visibility("default")))
#else
#    define WHISPER_API
#endif

#define WHISPER_SAMPLE_RATE 16000 /* Hz */
#define WHISPER_N_FFT       400   /* samples in one analysis window */
#define WHISPER_HOP_LENGTH  160   /* samples from one mel frame to the next, 10 ms */
#define WHISPER_CHUNK_SIZE  30    /* seconds that the encoder sees at a time */

#ifdef __cplusplus
extern "C" {
#endif

struct whisper_context; /* a loaded model, usually with one state */
struct whisper_state;   /* caches, buffers and results of one transcription at a time */
struct whisper_full_params;

typedef int32_t whisper_pos;
typedef int32_t whisper_token;
typedef int32_t whisper_seq_id;

/* Which cross-attention heads follow the audio, for token times by dynamic time warping. */
enum whisper_alignment_heads_preset {
    WHISPER_AHEADS_NONE,
    WHISPER_AHEADS_N_TOP_MOST, /* all heads of the dtw_n_top last layers */
    WHISPER_AHEADS_CUSTOM,     /* dtw_aheads */
    WHISPER_AHEADS_TINY_EN,
    WHISPER_AHEADS_TINY,
    WHISPER_AHEADS_BASE_EN,
    WHISPER_AHEADS_BASE,
    WHISPER_AHEADS_SMALL_EN,
    WHISPER_AHEADS_SMALL,
    WHISPER_AHEADS_MEDIUM_EN,
    WHISPER_AHEADS_MEDIUM,
    WHISPER_AHEADS_LARGE_V1,
    WHISPER_AHEADS_LARGE_V2,
    WHISPER_AHEADS_LARGE_V3,
    WHISPER_AHEADS_LARGE_V3_TURBO,
};

typedef struct whisper_ahead {
    int n_text_layer;
    int n_head;
} whisper_ahead;

typedef struct whisper_aheads {
    size_t n_heads;
    const whisper_ahead * heads;
} whisper_aheads;

struct whisper_context_params {
    bool use_gpu;    /* take a GPU back-end where one is built in; otherwise the CPU is used and the log says why */
    bool flash_attn; /* accepted; attention is always fused */
    int  gpu_device;

    /* Token times by dynamic time warping: t_dtw of each token. Works together with fused attention. A preset of another model, or
     * a head that the model does not have, fails the load. */
    bool dtw_token_timestamps;
    enum whisper_alignment_heads_preset dtw_aheads_preset;
    int dtw_n_top;                    /* last text layers, for N_TOP_MOST; 1 .. n_text_layer */
    struct whisper_aheads dtw_aheads; /* for CUSTOM; copied */
    size_t dtw_mem_size;              /* ignored: what is needed is measured */
};

typedef struct whisper_token_data {
    whisper_token id;
    whisper_token tid; /* most probable timestamp token at this step */

    float p;     /* probability of the token, 0..1 */
    float plog;  /* its natural logarithm */
    float pt;    /* probability of tid */
    float ptsum; /* probability of all timestamp tokens together */

    int64_t t0;    /* start and end in 10 ms units; -1 unless token times were asked for */
    int64_t t1;
    int64_t t_dtw; /* by dynamic time warping: when the token has been spoken, in 10 ms units; -1 unless asked for */

    float vlen; /* voice length of the token's text; 0 unless token times were asked for */
} whisper_token_data;

/* A model as a stream. read returns the bytes read, fewer than asked only at the end; eof and close may be null.
 * close is called once, when loading ends. */
typedef struct whisper_model_loader {
    void * context;
    size_t (*read)(void * ctx, void * output, size_t read_size);
    bool   (*eof)(void * ctx);
    void   (*close)(void * ctx);
} whisper_model_loader;

/* Elements of a grammar rule; each rule ends with END. */
enum whisper_gretype {
    WHISPER_GRETYPE_END            = 0,
    WHISPER_GRETYPE_ALT            = 1, /* start of another alternative */
    WHISPER_GRETYPE_RULE_REF       = 2,
    WHISPER_GRETYPE_CHAR           = 3,
    WHISPER_GRETYPE_CHAR_NOT       = 4,
    WHISPER_GRETYPE_CHAR_RNG_UPPER = 5, /* upper end of the range begun by the element before */
    WHISPER_GRETYPE_CHAR_ALT       = 6, /* another character for the set begun before */
};

typedef struct whisper_grammar_element {
    enum whisper_gretype type;
    uint32_t             value; /* code point or rule index */
} whisper_grammar_element;

typedef struct whisper_vad_params {
    float threshold;               /* probability from which a window is speech, 0..1 */
    int   min_speech_duration_ms;
    int   min_silence_duration_ms;
    float max_speech_duration_s;
    int   speech_pad_ms;
    float samples_overlap;         /* seconds */
} whisper_vad_params;

/* "1.9.1": the version of whisper.cpp's API that this header follows. */
WHISPER_API const char * whisper_version(void);

/* ---- loading ---- */

/* Load a model in ggml .bin form. Null on error: the file is missing, cut, foreign, of a type or size that is not supported, or
 * memory ran out; last_error tells. The forms without _no_state make a state as well. The buffer is free for reuse at return. */
WHISPER_API struct whisper_context * whisper_init_from_file_with_params  (const char * path_model,              struct whisper_context_params params);
WHISPER_API struct whisper_context * whisper_init_from_buffer_with_params(void * buffer, size_t buffer_size,    struct whisper_context_params params);
WHISPER_API struct whisper_context * whisper_init_with_params            (struct whisper_model_loader * loader, struct whisper_context_params params);

WHISPER_API struct whisper_context * whisper_init_from_file_with_params_no_state  (const char * path_model,              struct whisper_context_params params);
WHISPER_API struct whisper_context * whisper_init_from_buffer_with_params_no_state(void * buffer, size_t buffer_size,    struct whisper_context_params params);
WHISPER_API struct whisper_context * whisper_init_with_params_no_state            (struct whisper_model_loader * loader, struct whisper_context_params params);

/* The same with default parameters. */
WHISPER_DEPRECATED(WHISPER_API struct whisper_context * whisper_init_from_file(const char * path_model), "use whisper_init_from_file_with_params instead");
WHISPER_DEPRECATED(WHISPER_API struct whisper_context * whisper_init_from_buffer(void * buffer, size_t buffer_size), "use whisper_init_from_buffer_with_params instead");
WHISPER_DEPRECATED(WHISPER_API struct whisper_context * whisper_init(struct whisper_model_loader * loader), "use whisper_init_with_params instead");
WHISPER_DEPRECATED(WHISPER_API struct whisper_context * whisper_init_from_file_no_state(const char * path_model), "use whisper_init_from_file_with_params_no_state instead");
WHISPER_DEPRECATED(WHISPER_API struct whisper_context * whisper_init_from_buffer_no_state(void * buffer, size_t buffer_size), "use whisper_init_from_buffer_with_params_no_state instead");
WHISPER_DEPRECATED(WHISPER_API struct whisper_context * whisper_init_no_state(struct whisper_model_loader * loader), "use whisper_init_with_params_no_state instead");

/* A further state with its own back-end, caches and results. Null on error. Free it before the context. */
WHISPER_API struct whisper_state * whisper_init_state(struct whisper_context * ctx);

/* Lets OpenVINO's encoder compute the windows of a state. model_path null: <model>-encoder-openvino.xml beside the model's file. device null:
 * "CPU". cache_dir null: nothing that was compiled is kept. 0, or 1 with last_error (UNSUPPORTED with the reason where there is no such
 * encoder, it is of another model, or OpenVINO is not built in; BUSY); the state then goes on as before. */
WHISPER_API int whisper_ctx_init_openvino_encoder_with_state(struct whisper_context * ctx, struct whisper_state * state, const char * model_path, const char * device, const char * cache_dir);
WHISPER_API int whisper_ctx_init_openvino_encoder           (struct whisper_context * ctx, const char * model_path, const char * device, const char * cache_dir);

/* All four accept null. A context or state that another thread's call still uses is freed when that call ends: the function waits
 * for it. Called from a callback of that very call it would wait for itself: it does nothing then and logs an error. */
WHISPER_API void whisper_free               (struct whisper_context * ctx);
WHISPER_API void whisper_free_state         (struct whisper_state * state);
WHISPER_API void whisper_free_params        (struct whisper_full_params * params);
WHISPER_API void whisper_free_context_params(struct whisper_context_params * params);

/* ---- one step at a time ---- */

/* Log-mel features of 16 kHz mono audio, kept in the state. 0, or -1 on error (null, empty, NaN or infinite samples). */
WHISPER_API int whisper_pcm_to_mel           (struct whisper_context * ctx, const float * samples, int n_samples, int n_threads);
WHISPER_API int whisper_pcm_to_mel_with_state(struct whisper_context * ctx, struct whisper_state * state, const float * samples, int n_samples, int n_threads);

/* Features made elsewhere: data (n_mel, n_len), row-major; n_mel must be the model's, n_len at most 13421772. None at all (n_len 0, data null) are those of
 * silence. 0, or -1 on error. */
WHISPER_API int whisper_set_mel           (struct whisper_context * ctx, const float * data, int n_len, int n_mel);
WHISPER_API int whisper_set_mel_with_state(struct whisper_context * ctx, struct whisper_state * state, const float * data, int n_len, int n_mel);

/* Encodes the 30 s that begin at mel frame `offset` (10 ms units). 0, or -1 on error. */
WHISPER_API int whisper_encode           (struct whisper_context * ctx, int offset, int n_threads);
WHISPER_API int whisper_encode_with_state(struct whisper_context * ctx, struct whisper_state * state, int offset, int n_threads);

/* Decodes tokens at positions n_past .. n_past + n_tokens - 1 of one sequence; whisper_get_logits() then gives the row after the last
 * one. Tokens at n_past and beyond from earlier calls are forgotten. 0, or -1 on error. */
WHISPER_API int whisper_decode           (struct whisper_context * ctx, const whisper_token * tokens, int n_tokens, int n_past, int n_threads);
WHISPER_API int whisper_decode_with_state(struct whisper_context * ctx, struct whisper_state * state, const whisper_token * tokens, int n_tokens, int n_past, int n_threads);

/* (n_vocab,) logits of the last decoded token; null before any. */
WHISPER_API float * whisper_get_logits           (struct whisper_context * ctx);
WHISPER_API float * whisper_get_logits_from_state(struct whisper_state * state);

/* Byte-pair encodes text. Returns the number of tokens written, or minus the number needed if n_max_tokens is too small. */
WHISPER_API int whisper_tokenize(struct whisper_context * ctx, const char * text, whisper_token * tokens, int n_max_tokens);

/* Number of tokens that whisper_tokenize() would write. */
WHISPER_API int whisper_token_count(struct whisper_context * ctx, const char * text);

/* ---- languages ---- */

WHISPER_API int          whisper_lang_max_id  (void);              /* largest id, 99 */
WHISPER_API int          whisper_lang_id      (const char * lang); /* by code "de" or name "german"; -1 if unknown */
WHISPER_API const char * whisper_lang_str     (int id);            /* "de"; null if out of range */
WHISPER_API const char * whisper_lang_str_full(int id);            /* "german"; null if out of range */

/* Detects the language at offset_ms of the features in the state. lang_probs: null, or whisper_lang_max_id() + 1 probabilities to fill.
 * Returns the most probable id, or a negative number on error (English-only model, no features, offset outside). */
WHISPER_API int whisper_lang_auto_detect           (struct whisper_context * ctx, int offset_ms, int n_threads, float * lang_probs);
WHISPER_API int whisper_lang_auto_detect_with_state(struct whisper_context * ctx, struct whisper_state * state, int offset_ms, int n_threads, float * lang_probs);

/* ---- the model ---- */

WHISPER_API int whisper_n_len           (struct whisper_context * ctx); /* mel frames of the recording */
WHISPER_API int whisper_n_len_from_state(struct whisper_state * state);
WHISPER_API int whisper_n_vocab         (struct whisper_context * ctx);
WHISPER_API int whisper_n_text_ctx      (struct whisper_context * ctx);
WHISPER_API int whisper_n_audio_ctx     (struct whisper_context * ctx);
WHISPER_API int whisper_is_multilingual (struct whisper_context * ctx);

WHISPER_API int whisper_model_n_vocab      (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_audio_ctx  (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_audio_state(struct whisper_context * ctx);
WHISPER_API int whisper_model_n_audio_head (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_audio_layer(struct whisper_context * ctx);
WHISPER_API int whisper_model_n_text_ctx   (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_text_state (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_text_head  (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_text_layer (struct whisper_context * ctx);
WHISPER_API int whisper_model_n_mels       (struct whisper_context * ctx);
WHISPER_API int whisper_model_ftype        (struct whisper_context * ctx);
WHISPER_API int whisper_model_type         (struct whisper_context * ctx); /* 1 tiny, 2 base, 3 small, 4 medium, 5 large, 0 other */

WHISPER_API const char * whisper_model_type_readable(struct whisper_context * ctx);

/* ---- tokens ---- */

/* Bytes of a token (a piece of a character for some), zero-terminated; null if out of range. */
WHISPER_API const char * whisper_token_to_str(struct whisper_context * ctx, whisper_token token);

WHISPER_API whisper_token whisper_token_eot       (struct whisper_context * ctx); /* end of text */
WHISPER_API whisper_token whisper_token_sot       (struct whisper_context * ctx); /* start of transcript */
WHISPER_API whisper_token whisper_token_solm      (struct whisper_context * ctx); /* speaker turn */
WHISPER_API whisper_token whisper_token_prev      (struct whisper_context * ctx); /* start of previous text */
WHISPER_API whisper_token whisper_token_nosp      (struct whisper_context * ctx); /* no speech */
WHISPER_API whisper_token whisper_token_not       (struct whisper_context * ctx); /* no timestamps */
WHISPER_API whisper_token whisper_token_beg       (struct whisper_context * ctx); /* timestamp 0.00 */
WHISPER_API whisper_token whisper_token_lang      (struct whisper_context * ctx, int lang_id);
WHISPER_API whisper_token whisper_token_translate (struct whisper_context * ctx);
WHISPER_API whisper_token whisper_token_transcribe(struct whisper_context * ctx);

/* ---- timings ---- */

/* Averages of the context's own state, milliseconds per chosen token, window, step, batched token and prompt token. */
struct whisper_timings {
    float sample_ms;
    float encode_ms;
    float decode_ms;
    float batchd_ms;
    float prompt_ms;
};
WHISPER_API struct whisper_timings * whisper_get_timings(struct whisper_context * ctx); /* the caller frees it with free(); null without a state */
WHISPER_API void whisper_print_timings(struct whisper_context * ctx); /* to the log, as info; to stderr where no callback is set */
WHISPER_API void whisper_reset_timings(struct whisper_context * ctx);

/* One line: back-ends built in and the CPU kernels in use. */
WHISPER_API const char * whisper_print_system_info(void);

/* ---- transcription ---- */

enum whisper_sampling_strategy {
    WHISPER_SAMPLING_GREEDY,      /* most probable token; best of several draws at temperatures above 0 */
    WHISPER_SAMPLING_BEAM_SEARCH, /* the beam_size most probable texts side by side, at temperature 0 */
};

/* n_new segments were added at the end of the results. */
typedef void (*whisper_new_segment_callback)(struct whisper_context * ctx, struct whisper_state * state, int n_new, void * user_data);

/* progress: percent, 0..100, never smaller than before; the last is 100 unless the call fails or a callback ends it. */
typedef void (*whisper_progress_callback)(struct whisper_context * ctx, struct whisper_state * state, int progress, void * user_data);

/* Called before each window is encoded; false stops the transcription. */
typedef bool (*whisper_encoder_begin_callback)(struct whisper_context * ctx, struct whisper_state * state, void * user_data);

/* May change the (n_vocab,) logits of the next token, after the built-in suppression and before the timestamp rules. */
typedef void (*whisper_logits_filter_callback)(
        struct whisper_context * ctx, struct whisper_state * state, const whisper_token_data * tokens, int n_tokens, float * logits, void * user_data);

/* Options of whisper_full(). Each is documented with unit, range and default in the option reference. */
struct whisper_full_params {
    enum whisper_sampling_strategy strategy;

    int n_threads;
    int n_max_text_ctx;
    int offset_ms;
    int duration_ms;

    bool translate;
    bool no_context;
    bool no_timestamps;
    bool single_segment;
    bool print_special;
    bool print_progress;   /* accepted; this library prints nothing by itself: use the callbacks */
    bool print_realtime;   /* likewise */
    bool print_timestamps; /* likewise */

    bool  token_timestamps;
    float thold_pt;
    float thold_ptsum;
    int   max_len;
    bool  split_on_word;
    int   max_tokens;

    bool debug_mode;
    int  audio_ctx;

    bool tdrz_enable;

    const char * suppress_regex;

    const char * initial_prompt;
    bool carry_initial_prompt;
    const whisper_token * prompt_tokens;
    int prompt_n_tokens;

    const char * language;
    bool detect_language;

    bool suppress_blank;
    bool suppress_nst;

    float temperature;
    float max_initial_ts;
    float length_penalty;

    float temperature_inc;
    float entropy_thold;
    float logprob_thold;
    float no_speech_thold;

    struct {
        int best_of;
    } greedy;

    struct {
        int   beam_size;
        float patience;
    } beam_search;

    whisper_new_segment_callback new_segment_callback;
    void * new_segment_callback_user_data;

    whisper_progress_callback progress_callback;
    void * progress_callback_user_data;

    whisper_encoder_begin_callback encoder_begin_callback;
    void * encoder_begin_callback_user_data;

    ggml_abort_callback abort_callback;
    void * abort_callback_user_data;

    whisper_logits_filter_callback logits_filter_callback;
    void * logits_filter_callback_user_data;

    const whisper_grammar_element ** grammar_rules;
    size_t                           n_grammar_rules;
    size_t                           i_start_rule;
    float                            grammar_penalty;

    bool         vad;
    const char * vad_model_path;

    whisper_vad_params vad_params;
};

/* Defaults by value, and on the heap for languages that need a pointer (whisper_free_params, whisper_free_context_params). */
WHISPER_API struct whisper_context_params * whisper_context_default_params_by_ref(void);
WHISPER_API struct whisper_context_params   whisper_context_default_params       (void);
WHISPER_API struct whisper_full_params *    whisper_full_default_params_by_ref(enum whisper_sampling_strategy strategy);
WHISPER_API struct whisper_full_params      whisper_full_default_params       (enum whisper_sampling_strategy strategy);

/* Transcribes a recording: features, encoder, decoder, segments. samples: (n_samples,) float, 16 kHz mono; under 100 ms (1600) gives
 * no segments. Returns 0 (also when encoder_begin said stop), or
 *   -1 an option is out of range, or the VAD model cannot be used   -2 the samples are null, NaN or infinite, or features or speech could not be found
 *   -3 the language is unknown or detection failed  -4 more than 8 decoders asked for   -5 audio_ctx is larger than the model's
 *   -6 encoding failed or was aborted               -7, -8 decoding failed or was aborted
 *   -9 the context or state is in use by another call. */
WHISPER_API int whisper_full           (struct whisper_context * ctx, struct whisper_full_params params, const float * samples, int n_samples);
WHISPER_API int whisper_full_with_state(struct whisper_context * ctx, struct whisper_state * state, struct whisper_full_params params, const float * samples, int n_samples);

/* The same with the recording cut into n_processors equal parts (from 1; more than 64 are 64; at least 1 s each, fewer are made of a short one) that are
 * transcribed at the same time, each by a state of its own and with n_threads of its own. The results, in order and with times in
 * the whole recording, lie in the context's state; words at a cut may suffer. Callbacks come from any of the threads, one at a
 * time; progress is that of all parts together. Returns as whisper_full(). */
WHISPER_API int whisper_full_parallel(struct whisper_context * ctx, struct whisper_full_params params, const float * samples, int n_samples, int n_processors);

/* ---- results of the last transcription ---- */

/* Indexes outside the results give 0, -1, false or null. */
WHISPER_API int whisper_full_n_segments           (struct whisper_context * ctx);
WHISPER_API int whisper_full_n_segments_from_state(struct whisper_state * state);

WHISPER_API int whisper_full_lang_id           (struct whisper_context * ctx);
WHISPER_API int whisper_full_lang_id_from_state(struct whisper_state * state);

/* 10 ms units from the start of the samples. */
WHISPER_API int64_t whisper_full_get_segment_t0           (struct whisper_context * ctx, int i_segment);
WHISPER_API int64_t whisper_full_get_segment_t0_from_state(struct whisper_state * state, int i_segment);
WHISPER_API int64_t whisper_full_get_segment_t1           (struct whisper_context * ctx, int i_segment);
WHISPER_API int64_t whisper_full_get_segment_t1_from_state(struct whisper_state * state, int i_segment);

/* True if another speaker follows the segment; only with a tinydiarize model and tdrz_enable. */
WHISPER_API bool whisper_full_get_segment_speaker_turn_next           (struct whisper_context * ctx, int i_segment);
WHISPER_API bool whisper_full_get_segment_speaker_turn_next_from_state(struct whisper_state * state, int i_segment);

WHISPER_API const char * whisper_full_get_segment_text           (struct whisper_context * ctx, int i_segment);
WHISPER_API const char * whisper_full_get_segment_text_from_state(struct whisper_state * state, int i_segment);

/* Probability, 0..1, that the segment's window holds no speech. */
WHISPER_API float whisper_full_get_segment_no_speech_prob           (struct whisper_context * ctx, int i_segment);
WHISPER_API float whisper_full_get_segment_no_speech_prob_from_state(struct whisper_state * state, int i_segment);

WHISPER_API int whisper_full_n_tokens           (struct whisper_context * ctx, int i_segment);
WHISPER_API int whisper_full_n_tokens_from_state(struct whisper_state * state, int i_segment);

WHISPER_API const char * whisper_full_get_token_text           (struct whisper_context * ctx, int i_segment, int i_token);
WHISPER_API const char * whisper_full_get_token_text_from_state(struct whisper_context * ctx, struct whisper_state * state, int i_segment, int i_token);

WHISPER_API whisper_token whisper_full_get_token_id           (struct whisper_context * ctx, int i_segment, int i_token);
WHISPER_API whisper_token whisper_full_get_token_id_from_state(struct whisper_state * state, int i_segment, int i_token);

WHISPER_API whisper_token_data whisper_full_get_token_data           (struct whisper_context * ctx, int i_segment, int i_token);
WHISPER_API whisper_token_data whisper_full_get_token_data_from_state(struct whisper_state * state, int i_segment, int i_token);

WHISPER_API float whisper_full_get_token_p           (struct whisper_context * ctx, int i_segment, int i_token);
WHISPER_API float whisper_full_get_token_p_from_state(struct whisper_state * state, int i_segment, int i_token);

/* Start and end of a token in 10 ms units of the recording, also where VAD has cut it; -1 unless token_timestamps was set. */
WHISPER_API int64_t whisper_full_get_token_t0           (struct whisper_context * ctx, int i_segment, int i_token);
WHISPER_API int64_t whisper_full_get_token_t0_from_state(struct whisper_state * state, int i_segment, int i_token);
WHISPER_API int64_t whisper_full_get_token_t1           (struct whisper_context * ctx, int i_segment, int i_token);
WHISPER_API int64_t whisper_full_get_token_t1_from_state(struct whisper_state * state, int i_segment, int i_token);

/* Speech that VAD found in the last transcription with vad set, in 10 ms units of the recording. */
WHISPER_API int     whisper_full_n_vad_segments               (struct whisper_context * ctx);
WHISPER_API int     whisper_full_n_vad_segments_from_state    (struct whisper_state * state);
WHISPER_API int64_t whisper_full_get_vad_segment_t0           (struct whisper_context * ctx, int i);
WHISPER_API int64_t whisper_full_get_vad_segment_t0_from_state(struct whisper_state * state, int i);
WHISPER_API int64_t whisper_full_get_vad_segment_t1           (struct whisper_context * ctx, int i);
WHISPER_API int64_t whisper_full_get_vad_segment_t1_from_state(struct whisper_state * state, int i);

/* ---- voice activity detection ---- */

/* A loaded Silero VAD model with its recurrent state and the probabilities of the last audio. One call at a
 * time: a second one fails as BUSY, and freeing waits for the one that runs. */
struct whisper_vad_context;

struct whisper_vad_context_params {
    int  n_threads;  /* 1 .. 64; 0 is the default; others are INVALID_ARGUMENT. A window's work is too small to split: accepted */
    bool use_gpu;    /* accepted; the CPU is faster for so small a network */
    int  gpu_device; /* likewise */
};

WHISPER_API struct whisper_vad_params         whisper_vad_default_params        (void);
WHISPER_API struct whisper_vad_context_params whisper_vad_default_context_params(void);

/* Load a Silero model in ggml .bin form. Null on error, with last_error: NOT_FOUND, IO, BAD_FORMAT, OUT_OF_MEMORY. */
WHISPER_API struct whisper_vad_context * whisper_vad_init_from_file_with_params(const char * path_model,              struct whisper_vad_context_params params);
WHISPER_API struct whisper_vad_context * whisper_vad_init_with_params          (struct whisper_model_loader * loader, struct whisper_vad_context_params params);

/* One probability of speech for each window of 512 samples (32 ms); the last is zero-padded. The first form begins with an empty
 * recurrent state, the second goes on from the last call. False on error (null, NaN or infinite samples); no samples are none. */
WHISPER_API bool whisper_vad_detect_speech         (struct whisper_vad_context * vctx, const float * samples, int n_samples);
WHISPER_API bool whisper_vad_detect_speech_no_reset(struct whisper_vad_context * vctx, const float * samples, int n_samples);

/* Forgets what came before, between two recordings of a stream. */
WHISPER_API void whisper_vad_reset_state(struct whisper_vad_context * vctx);

/* Probabilities of the last detection, owned by the context, valid until its next call. */
WHISPER_API int     whisper_vad_n_probs(struct whisper_vad_context * vctx);
WHISPER_API float * whisper_vad_probs  (struct whisper_vad_context * vctx);

/* Stretches of speech. Null on error (a parameter out of range); none found is an empty list. */
struct whisper_vad_segments;

WHISPER_API struct whisper_vad_segments * whisper_vad_segments_from_probs  (struct whisper_vad_context * vctx, struct whisper_vad_params params);
WHISPER_API struct whisper_vad_segments * whisper_vad_segments_from_samples(struct whisper_vad_context * vctx, struct whisper_vad_params params, const float * samples, int n_samples);

/* Times in 10 ms units, as floats; -1 for an index outside. */
WHISPER_API int   whisper_vad_segments_n_segments    (struct whisper_vad_segments * segments);
WHISPER_API float whisper_vad_segments_get_segment_t0(struct whisper_vad_segments * segments, int i_segment);
WHISPER_API float whisper_vad_segments_get_segment_t1(struct whisper_vad_segments * segments, int i_segment);

/* Both accept null. */
WHISPER_API void whisper_vad_free_segments(struct whisper_vad_segments * segments);
WHISPER_API void whisper_vad_free         (struct whisper_vad_context * vctx);

/* ---- speed of the machine ---- */

/* Measure copying of memory for 1 .. n_threads threads, and products of square matrices by each weight type. The first form
 * prints the figures as whisper_print_timings() does and returns 0, or -1 on error; the second returns them as text, valid until the thread's next call. n_threads:
 * 1 .. 64. Each takes some seconds. */
WHISPER_API int          whisper_bench_memcpy          (int n_threads);
WHISPER_API const char * whisper_bench_memcpy_str      (int n_threads);
WHISPER_API int          whisper_bench_ggml_mul_mat    (int n_threads);
WHISPER_API const char * whisper_bench_ggml_mul_mat_str(int n_threads);

/* ---- log ---- */

/* Receives all log lines of the process; null restores the default, warnings and errors on stderr. */
WHISPER_API void whisper_log_set(ggml_log_callback log_callback, void * user_data);

#ifdef __cplusplus
}
#endif

#endif
