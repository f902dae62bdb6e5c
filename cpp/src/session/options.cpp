// Ranges of the options.
#include "session/options.h"

#include <algorithm>
#include <cmath>

#include "base/threads.h"

namespace speech {
namespace {

Status out_of_range(const char* name, const std::string& value, const char* range) {
  return {Code::kInvalidArgument, std::string("option ") + name + " is " + value + ", expected " + range};
}

Status check_not_negative(const char* name, int value) {
  return value >= 0 ? Status::ok() : out_of_range(name, std::to_string(value), "0 or more");
}

Status check_finite(const char* name, float value) {
  return std::isfinite(value) ? Status::ok() : out_of_range(name, std::to_string(value), "a finite number");
}

Status check_positive_number(const char* name, float value) {
  return value >= 0.0F ? Status::ok() : out_of_range(name, std::to_string(value), "a number from 0 on");
}

Status check_unit(const char* name, float value) {
  return value >= 0.0F && value <= 1.0F ? Status::ok() : out_of_range(name, std::to_string(value), "0 to 1");
}

}  // namespace

Result<int> resolve_threads(int n_threads) {
  if (n_threads < 0) {
    return out_of_range("n_threads", std::to_string(n_threads), "0 (the default) to 64");
  }
  if (n_threads == 0) {
    constexpr unsigned kDefault = 4;
    return static_cast<int>(std::clamp(hardware_threads(), 1U, kDefault));
  }
  return std::min(n_threads, kHasThreads ? kMaxThreads : 1);
}

Status validate(const Options& options, const Vocabulary& vocabulary) {
  SPEECH_RETURN_IF_ERROR(resolve_threads(options.n_threads).status());
  SPEECH_RETURN_IF_ERROR(check_not_negative("n_max_text_ctx", options.n_max_text_ctx));
  SPEECH_RETURN_IF_ERROR(check_not_negative("offset_ms", options.offset_ms));
  SPEECH_RETURN_IF_ERROR(check_not_negative("duration_ms", options.duration_ms));
  SPEECH_RETURN_IF_ERROR(check_not_negative("max_tokens", options.max_tokens));
  SPEECH_RETURN_IF_ERROR(check_not_negative("audio_ctx", options.audio_ctx));
  SPEECH_RETURN_IF_ERROR(check_unit("temperature", options.fallback.temperature));
  SPEECH_RETURN_IF_ERROR(check_unit("temperature_inc", options.fallback.temperature_step));
  SPEECH_RETURN_IF_ERROR(check_finite("max_initial_ts", options.max_initial_timestamp_s));
  SPEECH_RETURN_IF_ERROR(check_finite("length_penalty", options.fallback.length_penalty));
  SPEECH_RETURN_IF_ERROR(check_finite("entropy_thold", options.fallback.entropy_threshold));
  SPEECH_RETURN_IF_ERROR(check_finite("logprob_thold", options.fallback.log_probability_threshold));
  SPEECH_RETURN_IF_ERROR(check_finite("no_speech_thold", options.fallback.no_speech_threshold));
  SPEECH_RETURN_IF_ERROR(check_finite("patience", options.patience));
  SPEECH_RETURN_IF_ERROR(check_finite("thold_pt", options.token_time_options.threshold_probability));
  SPEECH_RETURN_IF_ERROR(check_finite("thold_ptsum", options.token_time_options.threshold_sum_probability));
  SPEECH_RETURN_IF_ERROR(check_not_negative("max_len", options.max_segment_length));
  SPEECH_RETURN_IF_ERROR(check_positive_number("grammar_penalty", options.grammar_penalty));
  SPEECH_RETURN_IF_ERROR(
      check_positive_number("compression_ratio_thold", options.fallback.compression_ratio_threshold));
  if (options.vad) {
    SPEECH_RETURN_IF_ERROR(check(options.vad_options));
  }
  for (const Token token : options.prompt_tokens) {
    if (token < 0 || token >= vocabulary.size()) {
      return out_of_range("prompt_tokens", "a list with token " + std::to_string(token),
                          "ids below the vocabulary's size");
    }
  }
  return Status::ok();
}

}  // namespace speech
