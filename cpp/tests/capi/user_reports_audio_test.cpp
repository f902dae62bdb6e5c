// What users of such libraries have reported about short, odd and silent audio, progress and callbacks, each at its
// smallest trigger (docs/user-reports.md). Made-up weights: what is heard does not matter here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "audio/wav_writer.h"
#include "capi/loaded.h"

namespace speech::testing {
namespace {

class ReportsOnAudio : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { context_ = load().release(); }
  static void TearDownTestSuite() { whisper_free(context_); }

  static int run(const std::vector<float>& samples) { return transcribe(context_, short_params(), samples); }

  static whisper_context* context_;
};

whisper_context* ReportsOnAudio::context_ = nullptr;

TEST_F(ReportsOnAudio, UserReport1AFewSamplesAreAnEmptyRecording) {
  for (const std::size_t n : {1U, 4U, 200U}) {
    // Exactly as long as said, so that a sanitizer sees a read beyond.
    EXPECT_EQ(run(made_up_audio(n)), 0) << n;
    EXPECT_EQ(whisper_full_n_segments(context_), 0) << n;
  }
}

TEST_F(ReportsOnAudio, UserReport2NoSamplesOnAFreshStateAreAnEmptyRecording) {
  const StatePointer state(whisper_init_state(context_));
  const float none = 0;
  EXPECT_EQ(whisper_full_with_state(context_, state.get(), short_params(), &none, 0), 0) << whisper_ext_last_error();
  EXPECT_EQ(whisper_full_n_segments_from_state(state.get()), 0);
}

TEST_F(ReportsOnAudio, UserReport4FromATenthOfASecondOnAudioIsDecoded) {
  for (const auto& [n_samples, n_windows] : {std::pair{1599U, 0}, {1600U, 1}, {8879U, 1}}) {
    whisper_reset_timings(context_);
    ASSERT_EQ(run(made_up_audio(n_samples)), 0);
    EXPECT_EQ(whisper_ext_get_stats(context_).n_encode, n_windows) << n_samples;
  }
}

TEST_F(ReportsOnAudio, UserReport4ThatAudioIsTooShortIsSaid) {
  std::string said;
  whisper_log_set([](ggml_log_level, const char* text, void* data) { *static_cast<std::string*>(data) += text; },
                  &said);
  EXPECT_EQ(run(made_up_audio(1599)), 0);
  whisper_log_set(nullptr, nullptr);
  EXPECT_NE(said.find("100 ms"), std::string::npos) << said;
}

TEST_F(ReportsOnAudio, UserReport5JustUnderASecondIsNotTooShort) {
  whisper_reset_timings(context_);
  EXPECT_EQ(run(made_up_audio(16 * 990)), 0);
  EXPECT_EQ(whisper_ext_get_stats(context_).n_encode, 1);
}

TEST_F(ReportsOnAudio, UserReport15AWavFileCastToFloatsIsRefused) {
  const std::vector<std::int64_t> pcm = speech::test::sine_16_bit(16000, 440, 16000, 32000);
  const speech::test::Bytes image = speech::test::wav_image({}, speech::test::pcm_bytes(pcm, 16));
  std::vector<float> samples(image.size() / sizeof(float));
  std::memcpy(samples.data(), image.data(), samples.size() * sizeof(float));
  EXPECT_EQ(run(samples), -2);  // the header holds bits that are no number
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  // What is finite is audio, however loud; it must come to an end.
  for (float& sample : samples) {
    sample = std::isfinite(sample) ? sample : std::numeric_limits<float>::max();
  }
  EXPECT_EQ(run(samples), 0) << whisper_ext_last_error();
}

TEST_F(ReportsOnAudio, UserReport18ALongFileTakesTheBuffersOfAShortOneAndTheNextJobBegins) {
  ASSERT_EQ(run(made_up_audio(16000)), 0);
  const int64_t before = whisper_ext_get_stats(context_).state_bytes;
  whisper_full_params params = short_params();
  params.encoder_begin_callback = [](whisper_context*, whisper_state*, void*) { return false; };
  ASSERT_EQ(transcribe(context_, params, std::vector<float>(16000UL * 60 * 5)), 0);
  EXPECT_EQ(whisper_ext_get_stats(context_).state_bytes, before);
  ASSERT_EQ(run(made_up_audio(16000)), 0);
}

struct Percentages {
  std::vector<int> all;
  int n_abort_questions = 0;
};

whisper_full_params watched(Percentages& seen) {
  whisper_full_params params = short_params();
  params.progress_callback = [](whisper_context*, whisper_state*, int percent, void* data) {
    static_cast<Percentages*>(data)->all.push_back(percent);
  };
  params.progress_callback_user_data = &seen;
  return params;
}

void expect_full_range(const Percentages& seen) {
  ASSERT_FALSE(seen.all.empty());
  for (std::size_t i = 0; i < seen.all.size(); ++i) {
    EXPECT_GE(seen.all[i], i == 0 ? 0 : seen.all[i - 1]);
    EXPECT_LE(seen.all[i], 100);
  }
  EXPECT_EQ(seen.all.back(), 100);
}

TEST_F(ReportsOnAudio, UserReport55ProgressOfAShortClipEndsAt100) {
  for (const std::size_t n : {1600U, 16000U, 32000U}) {
    Percentages seen;
    ASSERT_EQ(transcribe(context_, watched(seen), made_up_audio(n)), 0);
    expect_full_range(seen);
  }
}

TEST_F(ReportsOnAudio, UserReport56ProgressStaysBelow100WhateverWasAskedFor) {
  Percentages seen;
  whisper_full_params params = watched(seen);
  params.no_timestamps = true;  // a window of 30 s in a clip of 2 s
  ASSERT_EQ(transcribe(context_, params, made_up_audio(32000)), 0);
  expect_full_range(seen);
  for (const auto& [offset_ms, duration_ms] : {std::pair{0, 3'600'000}, {1000, 5000}, {1900, 1}}) {
    seen = {};
    params = watched(seen);
    params.offset_ms = offset_ms;
    params.duration_ms = duration_ms;
    ASSERT_EQ(transcribe(context_, params, made_up_audio(32000)), 0);
    expect_full_range(seen);
  }
}

TEST_F(ReportsOnAudio, UserReport59ProgressAndAbortCallbacksBothFire) {
  Percentages seen;
  whisper_full_params params = watched(seen);
  params.abort_callback = [](void* data) {
    ++static_cast<Percentages*>(data)->n_abort_questions;
    return false;
  };
  params.abort_callback_user_data = &seen;
  ASSERT_EQ(transcribe(context_, params, made_up_audio(32000)), 0);
  expect_full_range(seen);
  EXPECT_GT(seen.n_abort_questions, 0);
}

}  // namespace
}  // namespace speech::testing
