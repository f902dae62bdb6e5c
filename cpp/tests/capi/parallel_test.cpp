// whisper_full_parallel: parts, their merged results, callbacks and errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "capi/loaded.h"

namespace speech::testing {
namespace {

int parallel(whisper_context* context, const whisper_full_params& params, const std::vector<float>& samples, int n) {
  return whisper_full_parallel(context, params, samples.data(), static_cast<int>(samples.size()), n);
}

struct Line {
  int64_t t0, t1;
  std::string text;
  friend bool operator==(const Line&, const Line&) = default;
};

std::vector<Line> lines(whisper_context* context) {
  std::vector<Line> all;
  for (int i = 0; i < whisper_full_n_segments(context); ++i) {
    all.push_back({whisper_full_get_segment_t0(context, i), whisper_full_get_segment_t1(context, i),
                   whisper_full_get_segment_text(context, i)});
  }
  return all;
}

TEST(Parallel, IsEachPartByItselfWithItsTimesInTheRecording) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(48000);  // 3 s: a part each second
  std::vector<Line> expected;
  for (int part = 0; part < 3; ++part) {
    const std::vector<float> alone(samples.begin() + part * 16000, samples.begin() + (part + 1) * 16000);
    ASSERT_EQ(transcribe(context.get(), short_params(), alone), 0);
    for (Line line : lines(context.get())) {
      expected.push_back({line.t0 + part * 100, line.t1 + part * 100, line.text});
    }
  }
  ASSERT_EQ(parallel(context.get(), short_params(), samples, 3), 0);
  EXPECT_EQ(lines(context.get()), expected);
  EXPECT_FALSE(expected.empty());
}

TEST(Parallel, OfOneIsTheUsualCall) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(32000);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  const auto expected = lines(context.get());
  ASSERT_EQ(parallel(context.get(), short_params(), samples, 1), 0);
  EXPECT_EQ(lines(context.get()), expected);
}

TEST(Parallel, WorksOnAStateOfItsOwnByTheFurtherOptions) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(48000);
  ASSERT_EQ(parallel(context.get(), short_params(), samples, 3), 0);
  const auto expected = lines(context.get());
  whisper_state* state = whisper_init_state(context.get());
  ASSERT_NE(state, nullptr);
  whisper_ext_options options = whisper_ext_default_options();
  options.n_parts = 3;
  ASSERT_EQ(whisper_ext_full(context.get(), state, short_params(), &options, samples.data(),
                             static_cast<int>(samples.size())),
            0);
  ASSERT_EQ(whisper_full_n_segments_from_state(state), static_cast<int>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<int>(i);
    EXPECT_EQ(whisper_full_get_segment_t0_from_state(state, at), expected[i].t0);
    EXPECT_EQ(whisper_full_get_segment_text_from_state(state, at), expected[i].text);
  }
  whisper_free_state(state);
}

TEST(Parallel, MakesNoPartShorterThanASecond) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(24000);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  const auto expected = lines(context.get());
  ASSERT_EQ(parallel(context.get(), short_params(), samples, 10000), 0);
  EXPECT_EQ(lines(context.get()), expected);
}

TEST(Parallel, ShortAndEmptyAudioGivesNoSegments) {
  const ContextPointer context = load();
  for (const std::size_t n : {0U, 1U, 1599U}) {
    EXPECT_EQ(parallel(context.get(), short_params(), made_up_audio(n), 4), 0) << n;
    EXPECT_EQ(whisper_full_n_segments(context.get()), 0);
  }
}

TEST(Parallel, TakesOffsetAndDurationFirst) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(80000);
  whisper_full_params params = short_params();
  params.offset_ms = 1000;
  params.duration_ms = 2000;
  ASSERT_EQ(parallel(context.get(), params, samples, 2), 0);
  for (const Line& line : lines(context.get())) {
    EXPECT_GE(line.t0, 100);
    EXPECT_LE(line.t1, 300);
  }
}

TEST(Parallel, MergesTimings) {
  const ContextPointer context = load();
  whisper_reset_timings(context.get());
  ASSERT_EQ(parallel(context.get(), short_params(), made_up_audio(48000), 3), 0);
  EXPECT_GE(whisper_ext_get_stats(context.get()).n_encode, 3);
}

struct Seen {
  std::atomic<int> inside = 0;
  std::atomic<int> most_inside = 0;
  std::vector<int> progress;
  int n_segments = 0;
  bool abort = false;
};

void enter(Seen& seen) {
  const int now = ++seen.inside;
  seen.most_inside = std::max(seen.most_inside.load(), now);
}

TEST(Parallel, CallbacksComeOneAtATimeAndProgressEndsAt100) {
  const ContextPointer context = load();
  Seen seen;
  whisper_full_params params = short_params();
  params.progress_callback = [](whisper_context*, whisper_state*, int percent, void* data) {
    auto& s = *static_cast<Seen*>(data);
    enter(s);
    s.progress.push_back(percent);
    --s.inside;
  };
  params.progress_callback_user_data = &seen;
  params.new_segment_callback = [](whisper_context* ctx, whisper_state*, int n_new, void* data) {
    auto& s = *static_cast<Seen*>(data);
    s.n_segments += n_new;
    EXPECT_EQ(whisper_full_n_segments(ctx), s.n_segments) << "in order, and there to be read";
  };
  params.new_segment_callback_user_data = &seen;
  params.logits_filter_callback = [](whisper_context*, whisper_state*, const whisper_token_data*, int, float*,
                                     void* data) {
    auto& s = *static_cast<Seen*>(data);
    enter(s);
    --s.inside;
  };
  params.logits_filter_callback_user_data = &seen;
  ASSERT_EQ(parallel(context.get(), params, made_up_audio(64000), 4), 0);
  EXPECT_EQ(seen.most_inside, 1);
  EXPECT_EQ(seen.n_segments, whisper_full_n_segments(context.get()));
  ASSERT_FALSE(seen.progress.empty());
  EXPECT_EQ(seen.progress.back(), 100);
  EXPECT_TRUE(std::ranges::is_sorted(seen.progress));
}

TEST(Parallel, AnAbortEndsAllPartsAndTheContextWorksAsNew) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(48000);
  ASSERT_EQ(parallel(context.get(), short_params(), samples, 3), 0);
  const auto expected = lines(context.get());
  whisper_full_params params = short_params();
  params.abort_callback = [](void*) { return true; };
  EXPECT_LT(parallel(context.get(), params, samples, 3), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_CANCELLED);
  ASSERT_EQ(parallel(context.get(), short_params(), samples, 3), 0);
  EXPECT_EQ(lines(context.get()), expected);
}

TEST(Parallel, AnErrorOfOnePartIsTheErrorOfAll) {
  const ContextPointer context = load();
  std::vector<float> samples = made_up_audio(48000);
  samples[40000] = std::nanf("");  // in the third part
  EXPECT_EQ(parallel(context.get(), short_params(), samples, 3), -2);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT) << whisper_ext_last_error();
}

TEST(Parallel, AFreeInsideACallbackOfAnyPartDoesNothing) {
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  params.encoder_begin_callback = [](whisper_context* ctx, whisper_state* state, void*) {
    whisper_free(ctx);
    whisper_free_state(state);
    return true;
  };
  EXPECT_EQ(parallel(context.get(), params, made_up_audio(64000), 4), 0);
  EXPECT_EQ(parallel(context.get(), short_params(), made_up_audio(64000), 4), 0);
}

TEST(Parallel, CallbacksOfAnyPartMayReadTheResultsSoFar) {
  const ContextPointer context = load();
  std::size_t n_bytes = 0;
  whisper_full_params params = short_params();
  params.logits_filter_callback = [](whisper_context* ctx, whisper_state* state, const whisper_token_data*, int, float*,
                                     void* data) {
    for (int i = 0; i < whisper_full_n_segments_from_state(state); ++i) {
      *static_cast<std::size_t*>(data) += std::string(whisper_full_get_segment_text(ctx, i)).size();
    }
    *static_cast<std::size_t*>(data) += static_cast<std::size_t>(whisper_full_lang_id(ctx) + 1);
  };
  params.logits_filter_callback_user_data = &n_bytes;
  EXPECT_EQ(parallel(context.get(), params, made_up_audio(96000), 4), 0);
}

TEST(Parallel, CountsBelowOneAreRefused) {
  const ContextPointer context = load();
  for (const int n : {0, -1}) {
    EXPECT_EQ(parallel(context.get(), short_params(), made_up_audio(48000), n), -1);
    EXPECT_NE(std::string(whisper_ext_last_error()).find("n_processors"), std::string::npos);
  }
}

}  // namespace
}  // namespace speech::testing
