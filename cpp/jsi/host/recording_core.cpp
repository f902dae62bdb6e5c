// A core with the same headers that computes nothing: it tells what it was asked, and gives a made-up answer at once.
// So that arguments can be tried by the thousand, and each option be found in its field.
//
// A transcription gives two segments; the text of the second ends inside a character.
#include <cstring>
#include <string>
#include <vector>

#include "recorded_call.h"
#include "whisper_ext.h"

struct whisper_context {
  int dummy = 0;
};

struct whisper_state {
  int n_segments = 0;
};

struct whisper_vad_context {
  std::vector<float> probabilities;
};

struct whisper_vad_segments {
  int n = 1;
};

struct whisper_ext_audio {
  std::vector<float> samples = std::vector<float>(32000);
};

struct whisper_ext_grammar {
  whisper_grammar_element end = {WHISPER_GRETYPE_END, 0};
  const whisper_grammar_element* rule = &end;
};

struct whisper_ext_words {
  int segment;
};

namespace {

constexpr const char* kTexts[] = {" first", " second \xE2\x82"};
constexpr int kEndOfText = 50256;

bool is_valid_segment(int i) { return i == 0 || i == 1; }

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are those of the public headers.

int whisper_ext_last_error_code(void) { return WHISPER_EXT_OK; }
const char* whisper_ext_last_error(void) { return ""; }
void whisper_ext_clear_error(void) {}
bool whisper_ext_can(enum whisper_ext_capability) { return true; }
const char* whisper_ext_backend_reason(whisper_context*) { return "cpu: nothing is computed"; }
const char* whisper_ext_backend_name(whisper_context*) { return "cpu"; }
const char* whisper_ext_encoder_reason(whisper_context*) { return "own: nothing is computed"; }
const char* whisper_ext_encoder_name(whisper_context*) { return "own"; }
const char* whisper_ext_kernel_table(void) { return "none"; }
const char* whisper_version(void) { return "1.9.1"; }
const char* whisper_print_system_info(void) { return "recording"; }
void whisper_log_set(ggml_log_callback, void*) {}
bool whisper_ext_set_abort(whisper_context*, whisper_state*, ggml_abort_callback, void*) { return true; }
bool whisper_ext_vad_set_abort(whisper_vad_context*, ggml_abort_callback, void*) { return true; }

bool whisper_ext_estimate_memory(const char*, whisper_ext_memory* memory) {
  *memory = {1, 2};
  return true;
}

whisper_ext_audio* whisper_ext_audio_open(const char*) { return new whisper_ext_audio; }
whisper_ext_audio* whisper_ext_audio_from_file(const char*) { return new whisper_ext_audio; }
whisper_ext_audio* whisper_ext_audio_from_memory(const void*, size_t) { return new whisper_ext_audio; }
void whisper_ext_audio_free(whisper_ext_audio* audio) { delete audio; }
const float* whisper_ext_audio_samples(const whisper_ext_audio* audio) { return audio->samples.data(); }
int64_t whisper_ext_audio_n_samples(const whisper_ext_audio* audio) {
  return static_cast<int64_t>(audio->samples.size());
}
int64_t whisper_ext_resample(const float*, int64_t n_samples, int from_hz, int to_hz, float* out, int64_t n_out) {
  const int64_t n = (n_samples * to_hz + from_hz - 1) / from_hz;
  if (out != nullptr) std::memset(out, 0, sizeof(float) * static_cast<size_t>(n_out));
  return n;
}

whisper_ext_grammar* whisper_ext_grammar_parse(const char*, const char*) { return new whisper_ext_grammar; }
void whisper_ext_grammar_free(whisper_ext_grammar* grammar) { delete grammar; }
const whisper_grammar_element** whisper_ext_grammar_rules(const whisper_ext_grammar* grammar) {
  return const_cast<const whisper_grammar_element**>(&grammar->rule);
}
size_t whisper_ext_grammar_n_rules(const whisper_ext_grammar*) { return 1; }
size_t whisper_ext_grammar_start_rule(const whisper_ext_grammar*) { return 0; }

whisper_ext_options whisper_ext_default_options(void) { return {sizeof(whisper_ext_options), 0.0F, nullptr, 0, 0, 1}; }

whisper_ext_context_options whisper_ext_default_context_options(void) {
  return {sizeof(whisper_ext_context_options), WHISPER_EXT_BACKEND_AUTO, nullptr, nullptr, false};
}

whisper_context_params whisper_context_default_params(void) {
  whisper_context_params params = {};
  params.use_gpu = true;
  return params;
}

whisper_full_params whisper_full_default_params(enum whisper_sampling_strategy strategy) {
  whisper_full_params params = {};
  params.strategy = strategy;
  params.n_threads = 4;
  params.beam_search.beam_size = -1;
  return params;
}

whisper_vad_params whisper_vad_default_params(void) { return {0.5F, 250, 100, 3.4e38F, 30, 0.1F}; }
whisper_vad_context_params whisper_vad_default_context_params(void) { return {4, false, 0}; }

whisper_context* whisper_ext_init_from_file(const char*, whisper_context_params params,
                                            const whisper_ext_context_options* options) {
  speech::js::host::record(params, *options);
  return new whisper_context;
}
whisper_context* whisper_ext_init(whisper_model_loader*, whisper_context_params params,
                                  const whisper_ext_context_options* options) {
  speech::js::host::record(params, *options);
  return new whisper_context;
}
whisper_state* whisper_init_state(whisper_context*) { return new whisper_state; }
void whisper_free(whisper_context* context) { delete context; }
void whisper_free_state(whisper_state* state) { delete state; }

int whisper_is_multilingual(whisper_context*) { return 1; }
int whisper_model_n_vocab(whisper_context*) { return 51864; }
int whisper_model_n_audio_ctx(whisper_context*) { return 1500; }
int whisper_model_n_audio_state(whisper_context*) { return 384; }
int whisper_model_n_audio_head(whisper_context*) { return 6; }
int whisper_model_n_audio_layer(whisper_context*) { return 4; }
int whisper_model_n_text_ctx(whisper_context*) { return 448; }
int whisper_model_n_text_state(whisper_context*) { return 384; }
int whisper_model_n_text_head(whisper_context*) { return 6; }
int whisper_model_n_text_layer(whisper_context*) { return 4; }
int whisper_model_n_mels(whisper_context*) { return 80; }
int whisper_model_ftype(whisper_context*) { return 1; }
const char* whisper_model_type_readable(whisper_context*) { return "recording"; }
whisper_token whisper_token_eot(whisper_context*) { return kEndOfText; }

int whisper_lang_max_id(void) { return 1; }
const char* whisper_lang_str(int id) { return id == 0 ? "en" : id == 1 ? "de" : nullptr; }
const char* whisper_lang_str_full(int id) { return id == 0 ? "english" : id == 1 ? "german" : nullptr; }

int whisper_tokenize(whisper_context*, const char* text, whisper_token* tokens, int n_max_tokens) {
  const int n = static_cast<int>(std::strlen(text));
  if (n > n_max_tokens) return -n;
  for (int i = 0; i < n; ++i) tokens[i] = i;
  return n;
}

int whisper_pcm_to_mel_with_state(whisper_context*, whisper_state*, const float*, int, int) { return 0; }
int whisper_lang_auto_detect_with_state(whisper_context*, whisper_state*, int, int, float* probabilities) {
  probabilities[0] = 0.75F;
  probabilities[1] = 0.25F;
  return 0;
}
int whisper_set_mel_with_state(whisper_context*, whisper_state*, const float*, int, int) { return 0; }
int whisper_encode_with_state(whisper_context*, whisper_state*, int, int) { return 0; }
int whisper_decode_with_state(whisper_context*, whisper_state*, const whisper_token*, int, int, int) { return 0; }
whisper_ext_stats whisper_ext_get_stats_from_state(whisper_context*, whisper_state*) { return {}; }

int whisper_ext_full(whisper_context* context, whisper_state* state, whisper_full_params params,
                     const whisper_ext_options* options, const float*, int) {
  speech::js::host::record(params, *options);
  state->n_segments = 0;
  for (int i = 0; i < 2; ++i) {
    if (params.abort_callback(params.abort_callback_user_data)) return -6;
    if (!params.encoder_begin_callback(context, state, params.encoder_begin_callback_user_data)) return 0;
    ++state->n_segments;
    if (params.new_segment_callback != nullptr) {
      params.new_segment_callback(context, state, 1, params.new_segment_callback_user_data);
      params.progress_callback(context, state, 50 * (i + 1), params.progress_callback_user_data);
    }
  }
  return 0;
}
int whisper_ext_full_audio(whisper_context* context, whisper_state* state, whisper_full_params params,
                           const whisper_ext_options* options, const whisper_ext_audio* audio) {
  return whisper_ext_full(context, state, params, options, audio->samples.data(),
                          static_cast<int>(audio->samples.size()));
}
float whisper_ext_full_lang_probability_from_state(whisper_state*) { return 1.0F; }
int whisper_full_lang_id_from_state(whisper_state*) { return 0; }
int whisper_full_n_segments_from_state(whisper_state* state) { return state->n_segments; }
int64_t whisper_full_get_segment_t0_from_state(whisper_state*, int i) { return 100 * i; }
int64_t whisper_full_get_segment_t1_from_state(whisper_state*, int i) { return 100 * (i + 1); }
const char* whisper_full_get_segment_text_from_state(whisper_state*, int i) {
  return is_valid_segment(i) ? kTexts[i] : nullptr;
}
float whisper_full_get_segment_no_speech_prob_from_state(whisper_state*, int) { return 0.0F; }
bool whisper_full_get_segment_speaker_turn_next_from_state(whisper_state*, int) { return false; }
int whisper_full_n_tokens_from_state(whisper_state*, int) { return 1; }
whisper_token_data whisper_full_get_token_data_from_state(whisper_state*, int, int) {
  return {1, kEndOfText + 1, 0.5F, -0.69F, 0.0F, 0.0F, -1, -1, -1, 0.0F};
}
const char* whisper_full_get_token_text_from_state(whisper_context*, whisper_state*, int i, int) {
  return is_valid_segment(i) ? kTexts[i] : nullptr;
}
int whisper_full_n_vad_segments_from_state(whisper_state*) { return 0; }
int64_t whisper_full_get_vad_segment_t0_from_state(whisper_state*, int) { return 0; }
int64_t whisper_full_get_vad_segment_t1_from_state(whisper_state*, int) { return 0; }

whisper_ext_words* whisper_ext_words_of_segment(whisper_context*, whisper_state*, int i) {
  return new whisper_ext_words{i};
}
int whisper_ext_words_n(const whisper_ext_words*) { return 1; }
whisper_ext_word whisper_ext_words_get(const whisper_ext_words* words, int) {
  return {kTexts[words->segment], 0, 100, 0.5F, 0, 1};
}
void whisper_ext_words_free(whisper_ext_words* words) { delete words; }

whisper_vad_context* whisper_vad_init_from_file_with_params(const char*, whisper_vad_context_params) {
  return new whisper_vad_context;
}
whisper_vad_context* whisper_vad_init_with_params(whisper_model_loader*, whisper_vad_context_params) {
  return new whisper_vad_context;
}
void whisper_vad_free(whisper_vad_context* vad) { delete vad; }
bool whisper_vad_detect_speech(whisper_vad_context* vad, const float*, int n_samples) {
  vad->probabilities.assign(static_cast<size_t>((n_samples + 511) / 512), 0.5F);
  return true;
}
int whisper_vad_n_probs(whisper_vad_context* vad) { return static_cast<int>(vad->probabilities.size()); }
float* whisper_vad_probs(whisper_vad_context* vad) { return vad->probabilities.data(); }
whisper_vad_segments* whisper_vad_segments_from_probs(whisper_vad_context*, whisper_vad_params params) {
  speech::js::host::record(params);
  return new whisper_vad_segments;
}
int whisper_vad_segments_n_segments(whisper_vad_segments* segments) { return segments->n; }
float whisper_vad_segments_get_segment_t0(whisper_vad_segments*, int) { return 0.0F; }
float whisper_vad_segments_get_segment_t1(whisper_vad_segments*, int) { return 100.0F; }
void whisper_vad_free_segments(whisper_vad_segments* segments) { delete segments; }

// NOLINTEND(readability-identifier-naming)
