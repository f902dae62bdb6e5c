// Defaults, and the translation of parameters.
#include "capi/params.h"

#include <algorithm>
#include <cfloat>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "capi/handles.h"

namespace speech::capi {
namespace {

// -1 stands for the default, as whisper_full_default_params() gives it for the other strategy.
int or_default(int n_decoders) { return n_decoders == -1 ? kDefaultDecoders : n_decoders; }

Result<std::shared_ptr<const Grammar>> to_grammar(const whisper_full_params& params) {
  if (params.grammar_rules == nullptr || params.n_grammar_rules == 0) {
    return std::shared_ptr<const Grammar>();
  }
  GrammarRules rules;
  std::size_t n_elements = 0;
  for (std::size_t i = 0; i < params.n_grammar_rules; ++i) {
    const whisper_grammar_element* element = params.grammar_rules[i];
    if (element == nullptr) {
      return Status(Code::kInvalidArgument, "grammar_rules[" + std::to_string(i) + "] is null");
    }
    std::vector<GrammarElement>& rule = rules.emplace_back();
    do {
      if (++n_elements > kMaxGrammarElements) {
        return Status(Code::kInvalidArgument, "the grammar has more than " + std::to_string(kMaxGrammarElements) +
                                                  " elements; is a rule without its END?");
      }
      const int kind = number_of(element->type);
      if (kind < WHISPER_GRETYPE_END || kind > WHISPER_GRETYPE_CHAR_ALT) {
        return Status(Code::kInvalidArgument, "grammar_rules[" + std::to_string(i) + "] has an element of type " +
                                                  std::to_string(kind) + ", expected 0 to 6");
      }
      rule.push_back({static_cast<GrammarElementKind>(kind), element->value});
      ++element;
    } while (rule.back().kind != GrammarElementKind::kEnd);
  }
  SPEECH_ASSIGN_OR_RETURN(Grammar grammar, Grammar::create(rules, params.i_start_rule));
  return std::make_shared<const Grammar>(std::move(grammar));
}

const char* or_empty(const char* text) { return text != nullptr ? text : ""; }

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
  const int strategy = number_of(params.strategy);
  if (strategy != WHISPER_SAMPLING_GREEDY && strategy != WHISPER_SAMPLING_BEAM_SEARCH) {
    return Status(Code::kInvalidArgument,
                  "option strategy is " + std::to_string(strategy) + ", expected 0 (greedy) or 1 (beam search)");
  }
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
  options.token_times = params.token_timestamps;
  options.token_time_options = {params.thold_pt, params.thold_ptsum};
  options.max_segment_length = params.max_len;
  options.split_on_word = params.split_on_word;
  options.max_tokens = params.max_tokens;
  options.audio_ctx = params.audio_ctx;
  options.speaker_turns = params.tdrz_enable;
  options.suppress_regex = or_empty(params.suppress_regex);
  options.initial_prompt = or_empty(params.initial_prompt);
  options.carry_initial_prompt = params.carry_initial_prompt;
  if (params.prompt_tokens != nullptr && params.prompt_n_tokens > 0) {
    options.prompt_tokens.assign(params.prompt_tokens, params.prompt_tokens + params.prompt_n_tokens);
  }
  options.language = or_empty(params.language);
  options.detect_language_only = params.detect_language;
  options.suppress_blank = params.suppress_blank;
  options.suppress_non_speech = params.suppress_nst;
  options.max_initial_timestamp_s = params.max_initial_ts;
  options.best_of = or_default(params.greedy.best_of);
  if (strategy == WHISPER_SAMPLING_BEAM_SEARCH) {
    options.n_beams = or_default(params.beam_search.beam_size);
    options.patience = params.beam_search.patience;
    if (options.n_beams == 0) {
      return Status(Code::kInvalidArgument, "option beam_size is 0, expected 1 to 8, or -1 for the default");
    }
  }
  options.fallback = {params.temperature,
                      params.temperature_inc,
                      params.entropy_thold,
                      params.logprob_thold,
                      params.no_speech_thold,
                      params.length_penalty,
                      0.0F};
  SPEECH_ASSIGN_OR_RETURN(options.grammar, to_grammar(params));
  options.grammar_penalty = params.grammar_penalty;
  options.vad = params.vad;
  options.vad_model_path = or_empty(params.vad_model_path);
  options.vad_options = to_vad_options(params.vad_params);
  bind_callbacks(params, ctx, state, options.callbacks);
  return options;
}

VadOptions to_vad_options(const whisper_vad_params& params) {
  VadOptions options;
  options.threshold = params.threshold;
  options.min_speech_ms = params.min_speech_duration_ms;
  options.min_silence_ms = params.min_silence_duration_ms;
  options.max_speech_s = params.max_speech_duration_s;
  options.pad_ms = params.speech_pad_ms;
  options.overlap_s = params.samples_overlap;
  return options;
}

Result<int> add_options(const whisper_ext_options* more, Options& options) {
  whisper_ext_options known = whisper_ext_default_options();
  if (more != nullptr) {
    std::memcpy(&known, more, std::min(more->size, sizeof(known)));
  }
  options.fallback.compression_ratio_threshold = known.compression_ratio_thold;
  options.seed = known.seed;
  if (known.n_language_candidates < 0 || (known.language_candidates == nullptr && known.n_language_candidates > 0)) {
    return Status(Code::kInvalidArgument,
                  "option n_language_candidates is " + std::to_string(known.n_language_candidates) +
                      (known.language_candidates == nullptr ? " and language_candidates null" : "") +
                      ", expected 0 or more names");
  }
  for (int i = 0; i < known.n_language_candidates; ++i) {
    options.language_candidates.emplace_back(or_empty(known.language_candidates[i]));
  }
  return known.n_parts;
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
  const bool is_beam = speech::capi::number_of(strategy) == WHISPER_SAMPLING_BEAM_SEARCH;
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

whisper_ext_options whisper_ext_default_options(void) {
  whisper_ext_options options = {};
  options.size = sizeof(options);
  options.n_parts = 1;
  return options;
}

whisper_context_params* whisper_context_default_params_by_ref(void) {
  return speech::capi::on_heap(whisper_context_default_params());
}

whisper_full_params* whisper_full_default_params_by_ref(whisper_sampling_strategy strategy) {
  return speech::capi::on_heap(whisper_full_default_params(strategy));
}
