// A context over a small made-up model, for tests of the C functions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "model/synthetic_model.h"
#include "whisper_ext.h"

namespace speech::testing {

struct FreeContext {
  void operator()(whisper_context* context) const { whisper_free(context); }
};
struct FreeState {
  void operator()(whisper_state* state) const { whisper_free_state(state); }
};
using ContextPointer = std::unique_ptr<whisper_context, FreeContext>;
using StatePointer = std::unique_ptr<whisper_state, FreeState>;

inline ContextPointer load(const SyntheticSpec& spec = {}) {
  // The C function's pointer is to mutable bytes, which it does not change.
  auto& bytes = const_cast<std::vector<std::byte>&>(synthetic_model(spec).bytes);
  ContextPointer context(
      whisper_init_from_buffer_with_params(bytes.data(), bytes.size(), whisper_context_default_params()));
  EXPECT_NE(context, nullptr) << whisper_ext_last_error();
  return context;
}

/// Half a tone, half a wobble: something that is not silence.
inline std::vector<float> made_up_audio(std::size_t n_samples) {
  std::vector<float> samples(n_samples);
  for (std::size_t i = 0; i < n_samples; ++i) {
    const auto t = static_cast<float>(i);
    samples[i] = 0.3F * std::sin(0.05F * t) + 0.2F * std::sin(0.0011F * t * std::sin(0.0003F * t));
  }
  return samples;
}

/// Options that keep a made-up model short: one temperature, one thread.
inline whisper_full_params short_params() {
  whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  params.n_threads = 1;
  params.temperature_inc = 0;
  return params;
}

inline int transcribe(whisper_context* context, const whisper_full_params& params, const std::vector<float>& samples) {
  return whisper_full(context, params, samples.data(), static_cast<int>(samples.size()));
}

inline std::vector<whisper_token> result_tokens(whisper_context* context) {
  std::vector<whisper_token> tokens;
  for (int i = 0; i < whisper_full_n_segments(context); ++i) {
    for (int j = 0; j < whisper_full_n_tokens(context, i); ++j) {
      tokens.push_back(whisper_full_get_token_id(context, i, j));
    }
  }
  return tokens;
}

}  // namespace speech::testing
