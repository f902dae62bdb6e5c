// Generated from templates/jsi/params.h.j2 by `wsp generate`; do not edit.
//
// Carries values into the C structs of the public headers. It must not know what they mean, nor where they come from.
#pragma once

#include <vector>

#include "generated/values.h"
#include "whisper_ext.h"

namespace speech::js {

/// The enumerator of C for a AlignmentModel.
inline auto c_value(const AlignmentModel value) {
  switch (value) {
    case AlignmentModel::kNone: return WHISPER_AHEADS_NONE;
    case AlignmentModel::kTinyEn: return WHISPER_AHEADS_TINY_EN;
    case AlignmentModel::kTiny: return WHISPER_AHEADS_TINY;
    case AlignmentModel::kBaseEn: return WHISPER_AHEADS_BASE_EN;
    case AlignmentModel::kBase: return WHISPER_AHEADS_BASE;
    case AlignmentModel::kSmallEn: return WHISPER_AHEADS_SMALL_EN;
    case AlignmentModel::kSmall: return WHISPER_AHEADS_SMALL;
    case AlignmentModel::kMediumEn: return WHISPER_AHEADS_MEDIUM_EN;
    case AlignmentModel::kMedium: return WHISPER_AHEADS_MEDIUM;
    case AlignmentModel::kLargeV1: return WHISPER_AHEADS_LARGE_V1;
    case AlignmentModel::kLargeV2: return WHISPER_AHEADS_LARGE_V2;
    case AlignmentModel::kLargeV3: return WHISPER_AHEADS_LARGE_V3;
    case AlignmentModel::kLargeV3Turbo: return WHISPER_AHEADS_LARGE_V3_TURBO;
  }
  return WHISPER_AHEADS_NONE;
}

/// The enumerator of C for a Backend.
inline auto c_value(const Backend value) {
  switch (value) {
    case Backend::kAuto: return WHISPER_EXT_BACKEND_AUTO;
    case Backend::kCpu: return WHISPER_EXT_BACKEND_CPU;
    case Backend::kMetal: return WHISPER_EXT_BACKEND_METAL;
    case Backend::kCoreml: return WHISPER_EXT_BACKEND_COREML;
    case Backend::kOpenvino: return WHISPER_EXT_BACKEND_OPENVINO;
  }
  return WHISPER_EXT_BACKEND_AUTO;
}

/// Writes every value into its struct and leaves other fields alone. The structs then point into `values`, which
/// must stay where they are, unchanged, until the call that reads the structs has returned.
inline void apply(const VadOptions& values, whisper_vad_params& params) {
  params.threshold = values.threshold;
  params.min_speech_duration_ms = values.min_speech_duration_ms;
  params.min_silence_duration_ms = values.min_silence_duration_ms;
  // 0.0F leaves the C default.
  if (values.max_speech_duration_s != 0.0F) params.max_speech_duration_s = values.max_speech_duration_s;
  params.speech_pad_ms = values.speech_pad_ms;
  params.samples_overlap = values.samples_overlap;
}

/// Pointers that the C structs of TranscribeOptions need beside the values themselves.
struct TranscribeOptionsStorage {
  std::vector<const char*> language_candidates;
};

/// Writes every value into its struct and leaves other fields alone. The structs then point into `values` and `storage`, which
/// must stay where they are, unchanged, until the call that reads the structs has returned.
inline void apply(const TranscribeOptions& values, whisper_full_params& params, whisper_ext_options& more, TranscribeOptionsStorage& storage) {
  params.language = values.language.empty() ? nullptr : values.language.c_str();
  storage.language_candidates.clear();
  for (const std::string& text : values.language_candidates) storage.language_candidates.push_back(text.c_str());
  more.language_candidates = storage.language_candidates.empty() ? nullptr : storage.language_candidates.data();
  more.n_language_candidates = static_cast<int>(storage.language_candidates.size());
  params.translate = values.translate;
  params.offset_ms = values.offset_ms;
  params.duration_ms = values.duration_ms;
  params.no_context = values.no_context;
  params.n_max_text_ctx = values.n_max_text_ctx;
  params.initial_prompt = values.initial_prompt.empty() ? nullptr : values.initial_prompt.c_str();
  params.carry_initial_prompt = values.carry_initial_prompt;
  params.prompt_tokens = values.prompt_tokens.empty() ? nullptr : values.prompt_tokens.data();
  params.prompt_n_tokens = static_cast<int>(values.prompt_tokens.size());
  params.no_timestamps = values.no_timestamps;
  params.single_segment = values.single_segment;
  params.max_initial_ts = values.max_initial_ts;
  params.max_len = values.max_len;
  params.split_on_word = values.split_on_word;
  params.tdrz_enable = values.tdrz_enable;
  params.token_timestamps = values.token_timestamps;
  params.thold_pt = values.thold_pt;
  params.thold_ptsum = values.thold_ptsum;
  params.temperature = values.temperature;
  // 1 leaves the C default.
  if (values.beam_size != 1) params.beam_search.beam_size = values.beam_size;
  params.beam_search.patience = values.patience;
  params.greedy.best_of = values.best_of;
  more.seed = values.seed;
  params.length_penalty = values.length_penalty;
  params.max_tokens = values.max_tokens;
  params.suppress_blank = values.suppress_blank;
  params.suppress_nst = values.suppress_nst;
  params.suppress_regex = values.suppress_regex.empty() ? nullptr : values.suppress_regex.c_str();
  params.grammar_penalty = values.grammar_penalty;
  params.temperature_inc = values.temperature_inc;
  params.entropy_thold = values.entropy_thold;
  params.logprob_thold = values.logprob_thold;
  more.compression_ratio_thold = values.compression_ratio_thold;
  params.no_speech_thold = values.no_speech_thold;
  params.vad = values.vad;
  params.vad_model_path = values.vad_model_path.empty() ? nullptr : values.vad_model_path.c_str();
  apply(values.vad_options, params.vad_params);
  // 0 leaves the C default.
  if (values.n_threads != 0) params.n_threads = values.n_threads;
  more.n_parts = values.n_parts;
  params.audio_ctx = values.audio_ctx;
}

/// Writes every value into its struct and leaves other fields alone. The structs then point into `values`, which
/// must stay where they are, unchanged, until the call that reads the structs has returned.
inline void apply(const ContextOptions& values, whisper_context_params& params, whisper_ext_context_options& more) {
  params.use_gpu = values.use_gpu;
  params.gpu_device = values.gpu_device;
  more.backend = c_value(values.backend);
  params.dtw_aheads_preset = c_value(values.dtw);
  params.dtw_n_top = values.dtw_n_top;
}

}  // namespace speech::js
