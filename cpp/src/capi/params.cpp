// Defaults, and the translation of parameters.
#include "capi/params.h"

#include <cfloat>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "capi/handles.h"

namespace speech::capi {
namespace {

// What whisper_full_params can say and this version cannot do: refused by name, never ignored. Fields that act only
// together with one of these need no check; print_progress, print_realtime and print_timestamps are about standard
// output, on which this library writes nothing.
Status check_supported(const whisper_full_params& params) {
  struct Field {
    bool is_set;
    const char* name;
  };
  const Field unsupported[] = {
      {params.strategy != WHISPER_SAMPLING_GREEDY, "strategy (other than greedy)"},
      {params.token_timestamps, "token_timestamps"},
      {params.max_len > 0, "max_len"},
      {params.tdrz_enable, "tdrz_enable"},
      {params.suppress_regex != nullptr && *params.suppress_regex != '\0', "suppress_regex"},
      {params.carry_initial_prompt, "carry_initial_prompt"},
      {params.detect_language, "detect_language"},
      {params.grammar_rules != nullptr && params.n_grammar_rules > 0, "grammar_rules"},
      {params.vad, "vad"},
  };
  for (const Field& field : unsupported) {
    if (field.is_set) {
      return {Code::kUnsupported,
              std::string("option ") + field.name + " is not supported yet; leave it at its default"};
    }
  }
  return Status::ok();
}

void bind_callbacks(const whisper_full_params& params, whisper_context* ctx, whisper_state* state,
                    Callbacks& callbacks) {
  if (params.progress_callback != nullptr) {
    callbacks.progress = [=](int percent) {
      params.progress_callback(ctx, state, percent, params.progress_callback_user_data);
    };
  }
  if (params.new_segment_callback != nullptr) {
    callbacks.new_segments = [=](int n_new) {
      params.new_segment_callback(ctx, state, n_new, params.new_segment_callback_user_data);
    };
  }
  if (params.encoder_begin_callback != nullptr) {
    callbacks.encoder_begin = [=] {
      return params.encoder_begin_callback(ctx, state, params.encoder_begin_callback_user_data);
    };
  }
  if (params.logits_filter_callback != nullptr) {
    callbacks.filter_logits = [=, data = std::vector<whisper_token_data>()](std::span<const TokenData> tokens,
                                                                            std::span<float> logits) mutable {
      data.clear();
      for (const TokenData& token : tokens) {
        data.push_back(to_token_data(token));
      }
      params.logits_filter_callback(ctx, state, data.data(), static_cast<int>(data.size()), logits.data(),
                                    params.logits_filter_callback_user_data);
    };
  }
  callbacks.abort = params.abort_callback;
  callbacks.abort_user_data = params.abort_callback_user_data;
}

template <typename Params>
Params* on_heap(const Params& params) {
  void* memory = std::malloc(sizeof(Params));
  return memory != nullptr ? new (memory) Params(params) : nullptr;
}

}  // namespace

Result<Options> to_options(const whisper_full_params& params, whisper_context* ctx, whisper_state* state) {
  SPEECH_RETURN_IF_ERROR(check_supported(params));
  Options options;
  options.n_threads = params.n_threads;
  options.n_max_text_ctx = params.n_max_text_ctx;
  options.offset_ms = params.offset_ms;
  options.duration_ms = params.duration_ms;
  options.translate = params.translate;
  options.no_context = params.no_context;
  options.no_timestamps = params.no_timestamps;
  options.single_segment = params.single_segment;
  options.keep_special = params.print_special;
  options.max_tokens = params.max_tokens;
  options.audio_ctx = params.audio_ctx;
  options.initial_prompt = params.initial_prompt != nullptr ? params.initial_prompt : "";
  if (params.prompt_tokens != nullptr && params.prompt_n_tokens > 0) {
    options.prompt_tokens.assign(params.prompt_tokens, params.prompt_tokens + params.prompt_n_tokens);
  }
  options.language = params.language != nullptr ? params.language : "";
  options.suppress_blank = params.suppress_blank;
  options.suppress_non_speech = params.suppress_nst;
  options.max_initial_timestamp_s = params.max_initial_ts;
  options.best_of = params.greedy.best_of;
  options.fallback = {params.temperature,   params.temperature_inc, params.entropy_thold,
                      params.logprob_thold, params.no_speech_thold, params.length_penalty};
  bind_callbacks(params, ctx, state, options.callbacks);
  return options;
}

whisper_token_data to_token_data(const TokenData& token) {
  whisper_token_data data = {};
  data.id = token.id;
  data.tid = token.timestamp_id;
  data.p = token.probability;
  data.plog = token.log_probability;
  data.pt = token.timestamp_probability;
  data.ptsum = token.timestamp_sum_probability;
  data.t0 = token.t0;
  data.t1 = token.t1;
  data.t_dtw = token.t_dtw;
  data.vlen = token.vlen;
  return data;
}

}  // namespace speech::capi

whisper_context_params whisper_context_default_params(void) {
  whisper_context_params params = {};
  params.use_gpu = true;
  params.flash_attn = true;
  params.dtw_aheads_preset = WHISPER_AHEADS_NONE;
  params.dtw_n_top = -1;
  params.dtw_mem_size = 128UL * 1024 * 1024;
  return params;
}

whisper_full_params whisper_full_default_params(whisper_sampling_strategy strategy) {
  const bool is_beam = strategy == WHISPER_SAMPLING_BEAM_SEARCH;
  whisper_full_params params = {};
  params.strategy = strategy;
  params.n_threads = speech::resolve_threads(0).value();
  params.n_max_text_ctx = 16384;
  params.no_context = true;
  params.print_progress = true;
  params.print_timestamps = true;
  params.thold_pt = 0.01F;
  params.thold_ptsum = 0.01F;
  params.language = "en";
  params.suppress_blank = true;
  params.max_initial_ts = 1.0F;
  params.length_penalty = -1.0F;
  params.temperature_inc = 0.2F;
  params.entropy_thold = 2.4F;
  params.logprob_thold = -1.0F;
  params.no_speech_thold = 0.6F;
  params.greedy.best_of = is_beam ? -1 : 5;
  params.beam_search.beam_size = is_beam ? 5 : -1;
  params.beam_search.patience = -1.0F;
  params.grammar_penalty = 100.0F;
  params.vad_params = {0.5F, 250, 100, FLT_MAX, 30, 0.1F};
  return params;
}

whisper_context_params* whisper_context_default_params_by_ref(void) {
  return speech::capi::on_heap(whisper_context_default_params());
}

whisper_full_params* whisper_full_default_params_by_ref(whisper_sampling_strategy strategy) {
  return speech::capi::on_heap(whisper_full_default_params(strategy));
}
