// Where the time of a state goes. Plain sums; knows nothing of what is timed.
#pragma once

#include <chrono>
#include <cstdint>

namespace speech {

/// Milliseconds and counts since the state was made or reset.
struct Timings {
  double mel_ms = 0;
  double sample_ms = 0;                 ///< choosing tokens
  double encode_ms = 0;                 ///< convolution, encoder, cross-attention projection
  double decode_ms = 0;                 ///< steps of one token
  double batch_ms = 0;                  ///< steps of 2 .. 15 tokens
  double prompt_ms = 0;                 ///< steps of 16 tokens and more
  std::int32_t n_encode = 0;            ///< windows
  std::int32_t n_decode = 0;            ///< steps
  std::int32_t n_batch = 0;             ///< tokens
  std::int32_t n_prompt = 0;            ///< tokens
  std::int32_t n_sample = 0;            ///< tokens chosen
  std::int32_t n_fail_probability = 0;  ///< fallbacks: the result was improbable or failed
  std::int32_t n_fail_entropy = 0;      ///< attempts in which a candidate was rejected as a repetition

  Timings& operator+=(const Timings& other) {
    mel_ms += other.mel_ms;
    sample_ms += other.sample_ms;
    encode_ms += other.encode_ms;
    decode_ms += other.decode_ms;
    batch_ms += other.batch_ms;
    prompt_ms += other.prompt_ms;
    n_encode += other.n_encode;
    n_decode += other.n_decode;
    n_batch += other.n_batch;
    n_prompt += other.n_prompt;
    n_sample += other.n_sample;
    n_fail_probability += other.n_fail_probability;
    n_fail_entropy += other.n_fail_entropy;
    return *this;
  }
};

/// Adds the time of its life to a sum of milliseconds.
class ScopedTimer {
 public:
  explicit ScopedTimer(double& sum_ms) : sum_ms_(sum_ms), start_(Clock::now()) {}
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;
  ~ScopedTimer() { sum_ms_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_ms_;
  Clock::time_point start_;
};

}  // namespace speech
