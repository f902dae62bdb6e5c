// Implements core_options.h.
#include "core_options.h"

#include <string>
#include <vector>

#include "core_error.h"

namespace speech::python {
namespace {

py::object text_or_none(const char* text) {
  if (text == nullptr) return py::none();
  return text_of(text);
}

/// Rules as lists of (type, value), without the end of each; None if there are none.
py::object grammar_rules_of(const whisper_full_params& params) {
  if (params.grammar_rules == nullptr) return py::none();
  py::list rules;
  for (std::size_t i = 0; i < params.n_grammar_rules; ++i) {
    py::list rule;
    for (const whisper_grammar_element* element = params.grammar_rules[i]; element->type != WHISPER_GRETYPE_END;
         ++element) {
      rule.append(py::make_tuple(static_cast<int>(element->type), element->value));
    }
    rules.append(rule);
  }
  return rules;
}

}  // namespace

CallOptions::CallOptions(const py::object& options) : params(whisper_full_default_params(WHISPER_SAMPLING_GREEDY)) {
  if (options.is_none()) return;
  apply(options, params, more, storage_);
  // What no field says by itself: more than one beam is another strategy, and a grammar is parsed.
  if (params.beam_search.beam_size > 1) params.strategy = WHISPER_SAMPLING_BEAM_SEARCH;
  const auto grammar = option_value<std::string>(options, "grammar");
  if (grammar.empty()) return;
  whisper_ext_clear_error();
  const auto start = option_value<std::string>(options, "grammar_start");
  grammar_.reset(whisper_ext_grammar_parse(grammar.c_str(), start.c_str()));
  if (!grammar_) throw_last_error("parsing the grammar");
  params.grammar_rules = whisper_ext_grammar_rules(grammar_.get());
  params.n_grammar_rules = whisper_ext_grammar_n_rules(grammar_.get());
  params.i_start_rule = whisper_ext_grammar_start_rule(grammar_.get());
}

py::dict fields_of(const whisper_full_params& params, const whisper_ext_options& more) {
  py::dict fields;
  fields["strategy"] = static_cast<int>(params.strategy);
  fields["n_threads"] = params.n_threads;
  fields["n_max_text_ctx"] = params.n_max_text_ctx;
  fields["offset_ms"] = params.offset_ms;
  fields["duration_ms"] = params.duration_ms;
  fields["translate"] = params.translate;
  fields["no_context"] = params.no_context;
  fields["no_timestamps"] = params.no_timestamps;
  fields["single_segment"] = params.single_segment;
  fields["print_special"] = params.print_special;
  fields["print_progress"] = params.print_progress;
  fields["print_realtime"] = params.print_realtime;
  fields["print_timestamps"] = params.print_timestamps;
  fields["token_timestamps"] = params.token_timestamps;
  fields["thold_pt"] = params.thold_pt;
  fields["thold_ptsum"] = params.thold_ptsum;
  fields["max_len"] = params.max_len;
  fields["split_on_word"] = params.split_on_word;
  fields["max_tokens"] = params.max_tokens;
  fields["debug_mode"] = params.debug_mode;
  fields["audio_ctx"] = params.audio_ctx;
  fields["tdrz_enable"] = params.tdrz_enable;
  fields["suppress_regex"] = text_or_none(params.suppress_regex);
  fields["initial_prompt"] = text_or_none(params.initial_prompt);
  fields["carry_initial_prompt"] = params.carry_initial_prompt;
  fields["prompt_tokens"] = py::none();
  if (params.prompt_tokens != nullptr) {
    py::list tokens;
    for (int i = 0; i < params.prompt_n_tokens; ++i) tokens.append(params.prompt_tokens[i]);
    fields["prompt_tokens"] = tokens;
  }
  fields["prompt_n_tokens"] = params.prompt_n_tokens;
  fields["language"] = text_or_none(params.language);
  fields["detect_language"] = params.detect_language;
  fields["suppress_blank"] = params.suppress_blank;
  fields["suppress_nst"] = params.suppress_nst;
  fields["temperature"] = params.temperature;
  fields["max_initial_ts"] = params.max_initial_ts;
  fields["length_penalty"] = params.length_penalty;
  fields["temperature_inc"] = params.temperature_inc;
  fields["entropy_thold"] = params.entropy_thold;
  fields["logprob_thold"] = params.logprob_thold;
  fields["no_speech_thold"] = params.no_speech_thold;
  fields["greedy.best_of"] = params.greedy.best_of;
  fields["beam_search.beam_size"] = params.beam_search.beam_size;
  fields["beam_search.patience"] = params.beam_search.patience;
  fields["grammar_rules"] = grammar_rules_of(params);
  fields["n_grammar_rules"] = params.n_grammar_rules;
  fields["i_start_rule"] = params.i_start_rule;
  fields["grammar_penalty"] = params.grammar_penalty;
  fields["vad"] = params.vad;
  fields["vad_model_path"] = text_or_none(params.vad_model_path);
  fields["vad_params.threshold"] = params.vad_params.threshold;
  fields["vad_params.min_speech_duration_ms"] = params.vad_params.min_speech_duration_ms;
  fields["vad_params.min_silence_duration_ms"] = params.vad_params.min_silence_duration_ms;
  fields["vad_params.max_speech_duration_s"] = params.vad_params.max_speech_duration_s;
  fields["vad_params.speech_pad_ms"] = params.vad_params.speech_pad_ms;
  fields["vad_params.samples_overlap"] = params.vad_params.samples_overlap;
  fields["compression_ratio_thold"] = more.compression_ratio_thold;
  fields["language_candidates"] = py::none();
  if (more.language_candidates != nullptr) {
    py::list names;
    for (int i = 0; i < more.n_language_candidates; ++i) names.append(text_of(more.language_candidates[i]));
    fields["language_candidates"] = names;
  }
  fields["n_language_candidates"] = more.n_language_candidates;
  fields["seed"] = more.seed;
  fields["n_parts"] = more.n_parts;
  return fields;
}

void bind_options(py::module_& module) {
  module.def(
      "params_as_dict",
      [](const py::object& options) {
        const CallOptions call(options);
        return fields_of(call.params, call.more);
      },
      py::arg("options"), "The C structs that the options become, field by field; for tests.");
}

}  // namespace speech::python
