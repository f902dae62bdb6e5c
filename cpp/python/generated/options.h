// Generated from templates/cpp/options.h.j2 by `wsp generate`; do not edit.
//
// Carries options from a Python object into the C structs of whisper.h, and back. It must not know what they mean:
// ranges are checked in Python when the object is made, and by the core when it is used.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "whisper.h"

namespace speech::python {

/// The attribute `name` of `options` as a T. Throws pybind11::type_error, naming the option, if its type is another one
/// or its value does not fit; an error that Python raises on the way passes through. The caller holds the GIL.
template <typename T>
T option_value(const pybind11::object& options, const char* name) {
  const pybind11::object value = options.attr(name);
  try {
    return value.cast<T>();
  } catch (const pybind11::cast_error&) {
    const auto shown = pybind11::repr(value).cast<std::string>();
    throw pybind11::type_error("option " + std::string(name) + " is " + shown + ", which its C field cannot hold");
  }
}

/// What whisper_full_params only points to. It stays where it is, alive and unchanged, until the call that reads
/// the struct has returned.
struct TranscribeStorage {
  TranscribeStorage() = default;
  TranscribeStorage(const TranscribeStorage&) = delete;
  TranscribeStorage& operator=(const TranscribeStorage&) = delete;

  std::string language;
  std::string initial_prompt;
  std::vector<whisper_token> prompt_tokens;
};

/// Writes every option into `params` and leaves the other fields alone, so that callbacks may be set before or after.
/// options: has an attribute per option. storage: overwritten; see its rule. Empty text and empty lists become null
/// pointers. Throws like option_value. The caller holds the GIL, and may release it afterwards.
inline void apply(const pybind11::object& options, whisper_full_params& params, TranscribeStorage& storage) {
  storage.language = option_value<std::string>(options, "language");
  params.language = storage.language.empty() ? nullptr : storage.language.c_str();
  params.translate = option_value<bool>(options, "translate");
  params.offset_ms = option_value<int>(options, "offset_ms");
  params.duration_ms = option_value<int>(options, "duration_ms");
  params.no_context = option_value<bool>(options, "no_context");
  params.n_max_text_ctx = option_value<int>(options, "n_max_text_ctx");
  storage.initial_prompt = option_value<std::string>(options, "initial_prompt");
  params.initial_prompt = storage.initial_prompt.empty() ? nullptr : storage.initial_prompt.c_str();
  storage.prompt_tokens = option_value<std::vector<whisper_token>>(options, "prompt_tokens");
  params.prompt_tokens = storage.prompt_tokens.empty() ? nullptr : storage.prompt_tokens.data();
  params.prompt_n_tokens = static_cast<int>(storage.prompt_tokens.size());
  params.no_timestamps = option_value<bool>(options, "no_timestamps");
  params.single_segment = option_value<bool>(options, "single_segment");
  params.max_initial_ts = option_value<float>(options, "max_initial_ts");
  params.temperature = option_value<float>(options, "temperature");
  params.greedy.best_of = option_value<int>(options, "best_of");
  params.length_penalty = option_value<float>(options, "length_penalty");
  params.max_tokens = option_value<int>(options, "max_tokens");
  params.suppress_blank = option_value<bool>(options, "suppress_blank");
  params.suppress_nst = option_value<bool>(options, "suppress_nst");
  params.temperature_inc = option_value<float>(options, "temperature_inc");
  params.entropy_thold = option_value<float>(options, "entropy_thold");
  params.logprob_thold = option_value<float>(options, "logprob_thold");
  params.no_speech_thold = option_value<float>(options, "no_speech_thold");
  // 0 leaves the C default.
  const auto n_threads = option_value<int>(options, "n_threads");
  if (n_threads != 0) params.n_threads = n_threads;
  params.audio_ctx = option_value<int>(options, "audio_ctx");
}

/// The values in `params`, by the names of the options; null text is "", null lists are empty. The caller holds the
/// GIL.
inline pybind11::dict values_of(const whisper_full_params& params) {
  pybind11::dict values;
  values["language"] = params.language == nullptr ? "" : params.language;
  values["translate"] = params.translate;
  values["offset_ms"] = params.offset_ms;
  values["duration_ms"] = params.duration_ms;
  values["no_context"] = params.no_context;
  values["n_max_text_ctx"] = params.n_max_text_ctx;
  values["initial_prompt"] = params.initial_prompt == nullptr ? "" : params.initial_prompt;
  std::vector<whisper_token> prompt_tokens;
  if (params.prompt_tokens != nullptr) {
    prompt_tokens.assign(params.prompt_tokens, params.prompt_tokens + params.prompt_n_tokens);
  }
  values["prompt_tokens"] = prompt_tokens;
  values["no_timestamps"] = params.no_timestamps;
  values["single_segment"] = params.single_segment;
  values["max_initial_ts"] = params.max_initial_ts;
  values["temperature"] = params.temperature;
  values["best_of"] = params.greedy.best_of;
  values["length_penalty"] = params.length_penalty;
  values["max_tokens"] = params.max_tokens;
  values["suppress_blank"] = params.suppress_blank;
  values["suppress_nst"] = params.suppress_nst;
  values["temperature_inc"] = params.temperature_inc;
  values["entropy_thold"] = params.entropy_thold;
  values["logprob_thold"] = params.logprob_thold;
  values["no_speech_thold"] = params.no_speech_thold;
  values["n_threads"] = params.n_threads;
  values["audio_ctx"] = params.audio_ctx;
  return values;
}

}  // namespace speech::python
