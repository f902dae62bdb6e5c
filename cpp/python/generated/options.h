// Generated from templates/cpp/options.h.j2 by `wsp generate`; do not edit.
//
// Carries options from a Python object into the C structs of whisper.h. It must not know what they mean: ranges are
// checked in Python when the object is made, and by the core when it is used.
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
/// options: has an attribute per option; None leaves the C defaults, which are not all those of Python.
/// storage: overwritten; see its rule. Empty text and empty lists become null pointers.
/// Throws like option_value. The caller holds the GIL, and may release it afterwards.
inline void apply(const pybind11::object& options, whisper_full_params& params, TranscribeStorage& storage) {
  if (options.is_none()) return;
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

/// Writes every option into `params` and leaves the other fields alone, so that callbacks may be set before or after.
/// options: has an attribute per option; None leaves the C defaults, which are not all those of Python.
/// Throws like option_value. The caller holds the GIL, and may release it afterwards.
inline void apply(const pybind11::object& options, whisper_vad_params& params) {
  if (options.is_none()) return;
  params.threshold = option_value<float>(options, "threshold");
  params.min_speech_duration_ms = option_value<int>(options, "min_speech_duration_ms");
  params.min_silence_duration_ms = option_value<int>(options, "min_silence_duration_ms");
  // 0 leaves the C default.
  const auto max_speech_duration_s = option_value<float>(options, "max_speech_duration_s");
  if (max_speech_duration_s != 0) params.max_speech_duration_s = max_speech_duration_s;
  params.speech_pad_ms = option_value<int>(options, "speech_pad_ms");
  params.samples_overlap = option_value<float>(options, "samples_overlap");
}

}  // namespace speech::python
