// Generated from templates/cpp/options.h.j2 by `wsp generate`; do not edit.
//
// Carries options from a Python object into the C structs of the public headers. It must not know what they mean:
// ranges are checked in Python when the object is made, and by the core when it is used.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "whisper_ext.h"

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

/// The attribute `name`, a path, as the operating system takes it. Throws like option_value.
inline std::string path_value(const pybind11::object& options, const char* name) {
  return pybind11::module_::import("os").attr("fsencode")(options.attr(name)).cast<std::string>();
}

/// Texts, and pointers to them as C takes a list.
struct Names {
  void assign(std::vector<std::string> names) {
    texts = std::move(names);
    pointers.clear();
    for (const std::string& text : texts) pointers.push_back(text.c_str());
  }

  /// Null if there are none.
  const char* const* data() const { return pointers.empty() ? nullptr : pointers.data(); }
  int size() const { return static_cast<int>(pointers.size()); }

  std::vector<std::string> texts;
  std::vector<const char*> pointers;
};

/// Writes every option into its struct and leaves the other fields alone, so that callbacks may be set before or after.
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

/// What whisper_full_params only points to. It stays where it is, alive and unchanged, until the call that reads
/// the struct has returned.
struct TranscribeStorage {
  TranscribeStorage() = default;
  TranscribeStorage(const TranscribeStorage&) = delete;
  TranscribeStorage& operator=(const TranscribeStorage&) = delete;

  std::string language;
  Names language_candidates;
  std::string initial_prompt;
  std::vector<whisper_token> prompt_tokens;
  std::string suppress_regex;
  std::string vad_model_path;
};

/// Writes every option into its struct and leaves the other fields alone, so that callbacks may be set before or after.
/// options: has an attribute per option; None leaves the C defaults, which are not all those of Python.
/// storage: overwritten; see its rule. Empty text and empty lists become null pointers.
/// Throws like option_value. The caller holds the GIL, and may release it afterwards.
inline void apply(const pybind11::object& options, whisper_full_params& params, whisper_ext_options& more,
                  TranscribeStorage& storage) {
  if (options.is_none()) return;
  storage.language = option_value<std::string>(options, "language");
  params.language = storage.language.empty() ? nullptr : storage.language.c_str();
  storage.language_candidates.assign(option_value<std::vector<std::string>>(options, "language_candidates"));
  more.language_candidates = storage.language_candidates.data();
  more.n_language_candidates = storage.language_candidates.size();
  params.translate = option_value<bool>(options, "translate");
  params.offset_ms = option_value<int>(options, "offset_ms");
  params.duration_ms = option_value<int>(options, "duration_ms");
  params.no_context = option_value<bool>(options, "no_context");
  params.n_max_text_ctx = option_value<int>(options, "n_max_text_ctx");
  storage.initial_prompt = option_value<std::string>(options, "initial_prompt");
  params.initial_prompt = storage.initial_prompt.empty() ? nullptr : storage.initial_prompt.c_str();
  params.carry_initial_prompt = option_value<bool>(options, "carry_initial_prompt");
  storage.prompt_tokens = option_value<std::vector<whisper_token>>(options, "prompt_tokens");
  params.prompt_tokens = storage.prompt_tokens.empty() ? nullptr : storage.prompt_tokens.data();
  params.prompt_n_tokens = static_cast<int>(storage.prompt_tokens.size());
  params.no_timestamps = option_value<bool>(options, "no_timestamps");
  params.single_segment = option_value<bool>(options, "single_segment");
  params.max_initial_ts = option_value<float>(options, "max_initial_ts");
  params.max_len = option_value<int>(options, "max_len");
  params.split_on_word = option_value<bool>(options, "split_on_word");
  params.tdrz_enable = option_value<bool>(options, "tdrz_enable");
  params.token_timestamps = option_value<bool>(options, "token_timestamps");
  params.thold_pt = option_value<float>(options, "thold_pt");
  params.thold_ptsum = option_value<float>(options, "thold_ptsum");
  params.temperature = option_value<float>(options, "temperature");
  // 1 leaves the C default.
  const auto beam_size = option_value<int>(options, "beam_size");
  if (beam_size != 1) params.beam_search.beam_size = beam_size;
  params.beam_search.patience = option_value<float>(options, "patience");
  params.greedy.best_of = option_value<int>(options, "best_of");
  more.seed = option_value<std::uint64_t>(options, "seed");
  params.length_penalty = option_value<float>(options, "length_penalty");
  params.max_tokens = option_value<int>(options, "max_tokens");
  params.suppress_blank = option_value<bool>(options, "suppress_blank");
  params.suppress_nst = option_value<bool>(options, "suppress_nst");
  storage.suppress_regex = option_value<std::string>(options, "suppress_regex");
  params.suppress_regex = storage.suppress_regex.empty() ? nullptr : storage.suppress_regex.c_str();
  params.grammar_penalty = option_value<float>(options, "grammar_penalty");
  params.temperature_inc = option_value<float>(options, "temperature_inc");
  params.entropy_thold = option_value<float>(options, "entropy_thold");
  params.logprob_thold = option_value<float>(options, "logprob_thold");
  more.compression_ratio_thold = option_value<float>(options, "compression_ratio_thold");
  params.no_speech_thold = option_value<float>(options, "no_speech_thold");
  params.vad = option_value<bool>(options, "vad");
  storage.vad_model_path = path_value(options, "vad_model_path");
  params.vad_model_path = storage.vad_model_path.empty() ? nullptr : storage.vad_model_path.c_str();
  apply(options.attr("vad_options"), params.vad_params);
  // 0 leaves the C default.
  const auto n_threads = option_value<int>(options, "n_threads");
  if (n_threads != 0) params.n_threads = n_threads;
  more.n_parts = option_value<int>(options, "n_parts");
  params.audio_ctx = option_value<int>(options, "audio_ctx");
}

}  // namespace speech::python
