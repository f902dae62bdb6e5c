// What a caller sees of a transcription: progress, segments as they come, ends and cancellations, the language.
#include <gtest/gtest.h>

#include <cmath>

#include "session/scripted.h"
#include "session/steps.h"

namespace speech::testing {
namespace {

class Results : public ::testing::Test {
 protected:
  Scripts two_windows() const {
    return {{s.at(0), kA, s.at(10), s.at(10), kB, s.at(25), s.at(25), s.eot()}, {s.at(0), kC, s.at(14.96)}};
  }
  const Lines first_segments = {"0-1000 aa", "1000-2500 ab"};
  const Lines all_segments = {"0-1000 aa", "1000-2500 ab", "2500-3996 ac"};

  Session s;
};

TEST_F(Results, ProgressIsTheShareOfTheAudioBeforeEachWindow) {
  std::vector<int> progress;
  s.options.callbacks.progress = [&](int percent) { progress.push_back(percent); };
  s.play(3999, two_windows());
  EXPECT_EQ(progress, (std::vector<int>{0, 62, 100})) << "2500 of 3999 frames";
}

TEST_F(Results, ProgressCountsFromTheOffset) {
  std::vector<int> progress;
  s.options.callbacks.progress = [&](int percent) { progress.push_back(percent); };
  s.options.offset_ms = 10'000;
  s.options.duration_ms = 20'000;
  s.play(3999, Scripts{{s.at(0), kA, s.at(5), s.at(5), s.eot()}, {s.at(0), kB, s.at(14.96)}});
  EXPECT_EQ(progress, (std::vector<int>{0, 25, 100}));
}

TEST_F(Results, SegmentsAreAnnouncedWhenTheyAreThere) {
  std::vector<std::size_t> seen;
  s.options.callbacks.new_segments = [&](int n_new) {
    EXPECT_EQ(n_new, 1);
    seen.push_back(s.state().segments.size());
  };
  s.play(3999, two_windows());
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
}

TEST_F(Results, ARefusedSecondWindowLeavesTheSegmentsOfTheFirst) {
  int n_begun = 0;
  s.options.callbacks.encoder_begin = [&] { return ++n_begun < 2; };
  s.play(3999, two_windows());
  EXPECT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(n_begun, 2);
  EXPECT_EQ(s.state().timings.n_encode, 1);
  EXPECT_EQ(s.segments(), first_segments);
}

TEST_F(Results, ACancellationWhileTheSecondWindowIsDecodedLeavesTheSegmentsOfTheFirst) {
  bool cancel = false;
  s.options.callbacks.abort = [](void* flag) { return *static_cast<bool*>(flag); };
  s.options.callbacks.abort_user_data = &cancel;
  const Scripts scripts = two_windows();
  s.play(3999, [&](int window, int, std::span<const TokenData>) {
    cancel = cancel || window == 1;
    return scripts[static_cast<std::size_t>(window)];
  });
  EXPECT_EQ(s.status.code(), Code::kCancelled);
  EXPECT_EQ(s.stage, Stage::kDecode);
  EXPECT_EQ(s.segments(), first_segments);

  cancel = false;
  s.play(3999, scripts);
  EXPECT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(s.segments(), all_segments) << "the state works as new";
}

TEST_F(Results, ACancellationWhileTheSecondWindowIsEncodedLeavesTheSegmentsOfTheFirst) {
  bool cancel = false;
  int n_begun = 0;
  s.options.callbacks.abort = [](void* flag) { return *static_cast<bool*>(flag); };
  s.options.callbacks.abort_user_data = &cancel;
  s.options.callbacks.encoder_begin = [&] {
    cancel = ++n_begun == 2;
    return true;
  };
  s.play(3999, two_windows());
  EXPECT_EQ(s.status.code(), Code::kCancelled);
  EXPECT_EQ(s.stage, Stage::kEncode);
  EXPECT_EQ(s.segments(), first_segments);
}

TEST_F(Results, OfTheCallBeforeAreGoneEvenIfNothingCanBeDecoded) {
  s.play(3999, two_windows());
  ASSERT_EQ(s.segments(), all_segments);
  s.play(std::vector<float>(1599), Scripts{});
  EXPECT_TRUE(s.status) << s.status.message();
  EXPECT_EQ(s.segments(), Lines());
}

class Languages : public ::testing::Test {
 protected:
  Scripts one_window() const { return {{s.at(0), kA, s.at(19.96)}}; }

  Session s = Session(multilingual());
};

TEST_F(Languages, AreDetectedWithTheirProbabilityInTheWindowAtTheOffset) {
  for (const char* name : {"auto", ""}) {
    s.options.language = name;
    s.options.offset_ms = 5'000;
    const std::vector<float> samples = recording(2500);
    s.play(samples, one_window());
    ASSERT_TRUE(s.status) << s.status.message();
    EXPECT_EQ(s.state().timings.n_encode, 1) << "the window is encoded for both purposes at once";

    // By hand: softmax over the logits of the 99 language tokens, after the start of transcript.
    const std::unique_ptr<State> other = new_state(multilingual());
    ASSERT_TRUE(compute_features(multilingual(), *other, samples, 1, {}));
    ASSERT_TRUE(encode_window(multilingual(), *other, 500, 0, 1));
    const StepToken start = {s.special().sot, 0, 0, true};
    const auto logits = other->engine->decode(std::span(&start, 1));
    ASSERT_TRUE(logits);
    double sum = 0;
    int best = 0;
    const auto logit = [&](int id) {
      return static_cast<double>((*logits)[static_cast<std::size_t>(s.special().first_language + id)]);
    };
    for (int id = 0; id < 99; ++id) {
      sum += std::exp(logit(id));
      best = logit(id) > logit(best) ? id : best;
    }
    EXPECT_EQ(s.state().language, best);
    EXPECT_NEAR(static_cast<double>(s.state().language_probability), std::exp(logit(best)) / sum, 1e-6)
        << "float against double: a few 1e-7";
  }
}

TEST_F(Languages, ThatAreNamedAreNormalisedAndCertain) {
  for (const auto& [name, id] : {std::pair{"en-US", 0}, {"EN", 0}, {"german", 2}, {"de_DE", 2}}) {
    s.options.language = name;
    const Playback heard = s.play(2000, one_window());
    ASSERT_TRUE(s.status) << s.status.message();
    EXPECT_EQ(s.state().language, id) << name;
    EXPECT_EQ(s.state().language_probability, 1.0F);
    EXPECT_EQ(heard.prompt_sizes[0], 3) << "start of transcript, language, task";
  }
}

TEST_F(Languages, ThatOnlyLargeV3KnowsAreRefusedByOlderModels) {
  s.options.language = "yue";
  s.play(2000, Scripts{});
  EXPECT_EQ(s.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(s.stage, Stage::kLanguage);
  EXPECT_NE(s.status.message().find("'yue'"), std::string::npos) << s.status.message();
}

TEST_F(Languages, OfAnEnglishOnlyModelNeedNoDetection) {
  Session only_english;
  only_english.options.language = "auto";
  const Playback heard = only_english.play(2000, Scripts{{only_english.at(0), kA, only_english.at(19.96)}});
  ASSERT_TRUE(only_english.status) << only_english.status.message();
  EXPECT_EQ(only_english.state().language, 0);
  EXPECT_EQ(only_english.state().language_probability, 1.0F);
  EXPECT_EQ(heard.prompt_sizes[0], 1) << "start of transcript alone";
}

}  // namespace
}  // namespace speech::testing
