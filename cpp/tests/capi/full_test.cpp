// whisper_full: odd audio, options in and out of range, callbacks, repeatability, concurrency.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "capi/loaded.h"
#include "text/utf8.h"

namespace speech::testing {
namespace {

std::string last_error() { return whisper_ext_last_error(); }

TEST(FullAudio, UnderATenthOfASecondGivesNoSegmentsAndNoError) {
  const ContextPointer context = load();
  for (const std::size_t n : {0U, 1U, 199U, 200U, 201U, 1584U, 1599U}) {
    EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(n)), 0) << n;
    EXPECT_EQ(whisper_full_n_segments(context.get()), 0) << n;
    EXPECT_EQ(whisper_ext_get_stats(context.get()).n_encode, 0) << n;
  }
}

TEST(FullAudio, ATenthOfASecondIsDecoded) {
  const ContextPointer context = load();
  ASSERT_EQ(transcribe(context.get(), short_params(), made_up_audio(1600)), 0);
  EXPECT_EQ(whisper_ext_get_stats(context.get()).n_encode, 1);
}

TEST(FullAudio, ANaNOrInfiniteSampleIsRefusedByItsIndex) {
  const ContextPointer context = load();
  for (const float bad :
       {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    std::vector<float> samples = made_up_audio(8000);
    samples[4321] = bad;
    EXPECT_EQ(transcribe(context.get(), short_params(), samples), -2);
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
    EXPECT_NE(last_error().find("4321"), std::string::npos) << last_error();
    EXPECT_EQ(whisper_full_n_segments(context.get()), 0);
  }
  EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(8000)), 0) << "works as new after an error";
}

TEST(FullAudio, NullAndNegativeAreErrors) {
  const ContextPointer context = load();
  const float sample = 0;
  EXPECT_EQ(whisper_full(context.get(), short_params(), nullptr, 100), -2);
  EXPECT_EQ(whisper_full(context.get(), short_params(), &sample, -1), -2);
  EXPECT_EQ(whisper_full(nullptr, short_params(), &sample, 1), -1);
  EXPECT_EQ(whisper_full_with_state(context.get(), nullptr, short_params(), &sample, 1), -1);
}

TEST(FullResults, TimesAreInsideTheAudioAndInOrderAndTextIsUtf8) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(70 * 1600);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  int64_t previous = 0;
  for (int i = 0; i < whisper_full_n_segments(context.get()); ++i) {
    const int64_t t0 = whisper_full_get_segment_t0(context.get(), i);
    const int64_t t1 = whisper_full_get_segment_t1(context.get(), i);
    EXPECT_LE(previous, t0);
    EXPECT_LE(t0, t1);
    EXPECT_LE(t1, 700);
    EXPECT_TRUE(is_valid_utf8(whisper_full_get_segment_text(context.get(), i)));
    previous = t1;
  }
}

TEST(FullResults, AreTheSameTwiceAndAfterAnotherClip) {
  const ContextPointer used = load();
  const std::vector<float> clip = made_up_audio(24000);
  whisper_full_params params = short_params();
  params.temperature_inc = 0.5F;  // draws included
  params.greedy.best_of = 2;
  ASSERT_EQ(transcribe(used.get(), params, clip), 0);
  const std::vector<whisper_token> first = result_tokens(used.get());
  ASSERT_EQ(transcribe(used.get(), params, made_up_audio(9000)), 0);
  ASSERT_EQ(transcribe(used.get(), params, clip), 0);
  EXPECT_EQ(result_tokens(used.get()), first);
}

TEST(FullResults, IndexesOutsideGiveNothing) {
  const ContextPointer context = load();
  ASSERT_EQ(transcribe(context.get(), short_params(), made_up_audio(16000)), 0);
  const int n = whisper_full_n_segments(context.get());
  for (const int i : {-1, n, 1 << 30}) {
    EXPECT_EQ(whisper_full_get_segment_text(context.get(), i), nullptr);
    EXPECT_EQ(whisper_full_get_segment_t0(context.get(), i), -1);
    EXPECT_EQ(whisper_full_n_tokens(context.get(), i), 0);
    EXPECT_EQ(whisper_full_get_token_id(context.get(), i, 0), -1);
    EXPECT_EQ(whisper_full_get_token_text(context.get(), i, 0), nullptr);
    EXPECT_EQ(whisper_full_get_token_data(context.get(), i, 0).id, -1);
  }
  EXPECT_EQ(whisper_full_n_segments(nullptr), 0);
  EXPECT_EQ(whisper_full_get_segment_text(nullptr, 0), nullptr);
}

TEST(FullOptions, APromptTokenOutsideTheVocabularyIsRefused) {
  const ContextPointer context = load();
  for (const whisper_token bad : {-1, 51864, std::numeric_limits<int>::max()}) {
    whisper_full_params params = short_params();
    params.prompt_tokens = &bad;
    params.prompt_n_tokens = 1;
    EXPECT_EQ(transcribe(context.get(), params, made_up_audio(4000)), -1);
  }
}

TEST(FullOptions, ManyThreadsAreClampedAndGiveTheSame) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(8000);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  const auto expected = result_tokens(context.get());
  for (const int n_threads : {0, 2, 10000}) {
    whisper_full_params params = short_params();
    params.n_threads = n_threads;
    ASSERT_EQ(transcribe(context.get(), params, samples), 0);
    EXPECT_EQ(result_tokens(context.get()), expected) << n_threads;
  }
}

TEST(FullOptions, AVeryLongPromptIsCutNotRefused) {
  const ContextPointer context = load();
  const std::string prompt(40000, 'x');
  whisper_full_params params = short_params();
  params.initial_prompt = prompt.c_str();
  EXPECT_EQ(transcribe(context.get(), params, made_up_audio(8000)), 0);
}

TEST(FullOptions, AnOffsetBehindTheAudioGivesNoSegments) {
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  params.offset_ms = 60'000;
  EXPECT_EQ(transcribe(context.get(), params, made_up_audio(16000)), 0);
  EXPECT_EQ(whisper_full_n_segments(context.get()), 0);
  params.offset_ms = std::numeric_limits<int>::max();
  EXPECT_EQ(transcribe(context.get(), params, made_up_audio(16000)), 0);
}

TEST(FullOptions, DoNotLeakIntoTheNextCall) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(16000);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  const auto expected = result_tokens(context.get());
  whisper_full_params params = short_params();
  params.initial_prompt = "ab cd ef";
  params.single_segment = true;
  params.audio_ctx = 20;
  ASSERT_EQ(transcribe(context.get(), params, samples), 0);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  EXPECT_EQ(result_tokens(context.get()), expected);
}

struct Seen {
  std::vector<int> progress;
  int n_segments = 0;
  int n_begun = 0;
  int n_filtered = 0;
  int n_abort_questions = 0;
  int abort_after = std::numeric_limits<int>::max();
};

whisper_full_params watched_params(Seen& seen) {
  whisper_full_params params = short_params();
  params.progress_callback = [](whisper_context*, whisper_state*, int percent, void* data) {
    static_cast<Seen*>(data)->progress.push_back(percent);
  };
  params.progress_callback_user_data = &seen;
  params.new_segment_callback = [](whisper_context*, whisper_state*, int n_new, void* data) {
    static_cast<Seen*>(data)->n_segments += n_new;
  };
  params.new_segment_callback_user_data = &seen;
  params.encoder_begin_callback = [](whisper_context*, whisper_state*, void* data) {
    return ++static_cast<Seen*>(data)->n_begun < 3;
  };
  params.encoder_begin_callback_user_data = &seen;
  params.logits_filter_callback = [](whisper_context*, whisper_state*, const whisper_token_data*, int, float*,
                                     void* data) { ++static_cast<Seen*>(data)->n_filtered; };
  params.logits_filter_callback_user_data = &seen;
  params.abort_callback = [](void* data) {
    auto* s = static_cast<Seen*>(data);
    return ++s->n_abort_questions > s->abort_after;
  };
  params.abort_callback_user_data = &seen;
  return params;
}

TEST(FullCallbacks, AllFireTogether) {
  const ContextPointer context = load();
  Seen seen;
  ASSERT_EQ(transcribe(context.get(), watched_params(seen), made_up_audio(48000)), 0);
  EXPECT_EQ(seen.n_segments, whisper_full_n_segments(context.get()));
  EXPECT_GE(seen.n_begun, 1);
  EXPECT_GE(seen.n_filtered, 1);
  EXPECT_GE(seen.n_abort_questions, 1);
  EXPECT_FALSE(seen.progress.empty());
}

TEST(FullCallbacks, ProgressRisesTo100) {
  const ContextPointer context = load();
  Seen seen;
  whisper_full_params params = watched_params(seen);
  params.encoder_begin_callback = nullptr;
  ASSERT_EQ(transcribe(context.get(), params, made_up_audio(32000)), 0);
  ASSERT_FALSE(seen.progress.empty());
  EXPECT_EQ(seen.progress.front(), 0);
  EXPECT_EQ(seen.progress.back(), 100);
  for (std::size_t i = 1; i < seen.progress.size(); ++i) {
    EXPECT_LT(seen.progress[i - 1], seen.progress[i]);
  }
}

TEST(FullCallbacks, AbortCancelsAtAnyPointAndTheContextWorksAsNew) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(16000);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  const auto expected = result_tokens(context.get());
  for (const int after : {0, 1, 2, 5, 20, 40, 80}) {
    Seen seen;
    seen.abort_after = after;
    const int code = transcribe(context.get(), watched_params(seen), samples);
    if (seen.n_abort_questions > after) {
      // Each operation asks once at least: no further one was begun after the answer.
      EXPECT_LE(seen.n_abort_questions, after + 2) << after;
      EXPECT_LT(code, 0) << after;
      EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_CANCELLED) << after;
    }
    ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
    EXPECT_EQ(result_tokens(context.get()), expected) << after;
  }
}

TEST(FullCallbacks, ACancellationIsNoErrorInTheLog) {
  const ContextPointer context = load();
  std::vector<ggml_log_level> levels;
  whisper_log_set([](ggml_log_level level, const char*,
                     void* data) { static_cast<std::vector<ggml_log_level>*>(data)->push_back(level); },
                  &levels);
  Seen seen;
  seen.abort_after = 0;
  EXPECT_LT(transcribe(context.get(), watched_params(seen), made_up_audio(16000)), 0);
  whisper_log_set(nullptr, nullptr);
  EXPECT_EQ(levels, std::vector<ggml_log_level>{GGML_LOG_LEVEL_INFO});
}

TEST(FullCallbacks, EncoderBeginEndsWithWhatThereIs) {
  const ContextPointer context = load();
  Seen seen;
  seen.n_begun = 10;
  EXPECT_EQ(transcribe(context.get(), watched_params(seen), made_up_audio(16000)), 0);
  EXPECT_EQ(whisper_full_n_segments(context.get()), 0);
}

TEST(FullConcurrency, StatesOfOneContextWorkAtTheSameTime) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(16000);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  const int expected = static_cast<int>(result_tokens(context.get()).size());
  std::atomic<int> n_right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      const StatePointer state(whisper_init_state(context.get()));
      if (whisper_full_with_state(context.get(), state.get(), short_params(), samples.data(),
                                  static_cast<int>(samples.size())) != 0) {
        return;
      }
      int n_tokens = 0;
      for (int s = 0; s < whisper_full_n_segments_from_state(state.get()); ++s) {
        n_tokens += whisper_full_n_tokens_from_state(state.get(), s);
      }
      n_right += n_tokens == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(n_right, 3);
}

TEST(FullConcurrency, ASecondCallOnABusyStateIsRefused) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(16000);
  struct Inner {
    whisper_context* context;
    const std::vector<float>* samples;
    int code = 0;
  } inner{context.get(), &samples};
  whisper_full_params params = short_params();
  params.encoder_begin_callback = [](whisper_context*, whisper_state*, void* data) {
    auto* call = static_cast<Inner*>(data);
    call->code = transcribe(call->context, short_params(), *call->samples);
    return true;
  };
  params.encoder_begin_callback_user_data = &inner;
  ASSERT_EQ(transcribe(context.get(), params, samples), 0);
  EXPECT_EQ(inner.code, -9);
}

}  // namespace
}  // namespace speech::testing
