// Token times by alignment of a window's segments: which tokens are read, where the times lie, what is left alone.
#include "session/alignment.h"

#include <gtest/gtest.h>

#include <vector>

#include "decode/dtw.h"
#include "session/scripted.h"
#include "session/steps.h"

namespace speech::testing {
namespace {

const std::vector<AlignmentHead> kHeads = {{0, 1}, {1, 0}, {1, 1}};

/// Two text layers; with heads to align by, or without.
const Context& context(bool aligned, std::int32_t n_vocab) {
  const auto make = [](bool with_heads, std::int32_t vocabulary) {
    SyntheticSpec spec;
    spec.n_text_layer = 2;
    spec.n_vocab = vocabulary;
    const SyntheticModel& model = synthetic_model(spec);
    std::optional<AlignmentRequest> request;
    if (with_heads) {
      request = AlignmentRequest{AlignmentPreset::kCustom, 0, kHeads};
    }
    auto loaded = Context::load(memory_source(model.bytes), backend_factory("cpu").value(), request);
    EXPECT_TRUE(loaded) << loaded.status().message();
    return std::move(loaded).value();
  };
  static const std::unique_ptr<Context> english = make(true, 51864);
  static const std::unique_ptr<Context> multilingual = make(true, 51865);
  static const std::unique_ptr<Context> plain = make(false, 51864);
  return !aligned ? *plain : n_vocab == 51864 ? *english : *multilingual;
}

/// A state whose engine holds the window at `seek` of a recording of `n_frames`.
struct Heard {
  Heard(int n_frames, int seek, bool aligned = true, std::int32_t n_vocab = 51864)
      : model(context(aligned, n_vocab)), state(new_state(model)) {
    window = {.seek = seek, .seek_end = n_frames, .max_steps = 28};
    EXPECT_TRUE(compute_features(model, *state, recording(n_frames), 1, {}));
    EXPECT_TRUE(encode_window(model, *state, seek, 0, 1));
  }

  std::vector<Token> task() const {
    const SpecialTokens& special = model.vocabulary().special();
    return model.vocabulary().is_multilingual()
               ? std::vector<Token>{special.sot, special.first_language + 1, special.transcribe}
               : std::vector<Token>{special.sot};
  }
  Token timestamp(int steps) const { return model.vocabulary().special().beg + steps; }

  const Context& model;
  std::unique_ptr<State> state;
  Window window;
};

Segment segment_of(const std::vector<Token>& ids) {
  Segment segment;
  for (const Token id : ids) {
    TokenData token;
    token.id = id;
    segment.tokens.push_back(token);
  }
  return segment;
}

std::vector<int> times(const std::vector<Segment>& segments) {
  std::vector<int> all;
  for (const Segment& segment : segments) {
    for (const TokenData& token : segment.tokens) {
      all.push_back(token.t_dtw);
    }
  }
  return all;
}

// The made-up models hear 1 s: 50 frames of 20 ms.

TEST(AlignWindow, IsTheWarpedAttentionOfTheWholeText) {
  for (const std::int32_t n_vocab : {51864, 51865}) {
    Heard heard(300, 100, true, n_vocab);
    const SpecialTokens& special = heard.model.vocabulary().special();
    std::vector<Segment> segments = {segment_of({heard.timestamp(0), 257, 258, heard.timestamp(20)}),
                                     segment_of({heard.timestamp(20), 259, 260, 261, heard.timestamp(45)})};
    std::vector<Token> with_mark = heard.task();
    with_mark.push_back(special.not_);  // what a call without timestamps gives
    ASSERT_TRUE(align_window(heard.model, *heard.state, heard.window, with_mark, segments));

    std::vector<Token> tokens = heard.task();
    const auto first_row = static_cast<int>(tokens.size());
    for (const Token token : {special.not_, 257, 258, 259, 260, 261, special.eot}) {
      tokens.push_back(token);
    }
    const auto weights = heard.state->engine->align(tokens, kHeads, 50);
    ASSERT_TRUE(weights) << weights.status().message();
    AttentionSum sum(static_cast<int>(tokens.size()), 50, first_row, 6);
    sum.add(*weights);
    const std::vector<int> first = sum.first_frames();
    const auto at = [&](std::size_t i) { return 100 + 2 * first[i]; };
    EXPECT_EQ(times(segments), (std::vector<int>{-1, at(1), at(2), -1, -1, at(3), at(4), at(5), -1})) << n_vocab;
  }
}

TEST(AlignWindow, TimesNeverGoBackAndLieInTheAudio) {
  for (const int n_frames : {110, 111, 137, 199, 300}) {  // the window at 100 ends with the audio, or before it
    Heard heard(n_frames, 100);
    std::vector<Segment> segments = {segment_of({257, 258, 259}), segment_of({260, 261, 300, 301})};
    ASSERT_TRUE(align_window(heard.model, *heard.state, heard.window, heard.task(), segments));
    int latest = heard.window.seek;
    for (const int time : times(segments)) {
      EXPECT_GE(time, latest);
      EXPECT_LE(time, n_frames);
      latest = time;
    }
  }
}

TEST(AlignWindow, TheLongestTextOfAWindowIsAligned) {
  for (const std::int32_t n_vocab : {51864, 51865}) {
    Heard heard(300, 0, true, n_vocab);
    std::vector<Segment> segments = {segment_of(std::vector<Token>(28, 257))};  // max_steps of this text context
    EXPECT_TRUE(align_window(heard.model, *heard.state, heard.window, heard.task(), segments));
    EXPECT_GE(segments[0].tokens.back().t_dtw, 0);
  }
}

TEST(AlignWindow, DoesNothingWithoutHeadsOrText) {
  Heard plain(300, 0, false);
  const std::size_t bytes = plain.state->engine->bytes();
  std::vector<Segment> segments = {segment_of({257, 258})};
  ASSERT_TRUE(align_window(plain.model, *plain.state, plain.window, plain.task(), segments));
  EXPECT_EQ(times(segments), (std::vector<int>{-1, -1}));
  EXPECT_EQ(plain.state->engine->bytes(), bytes) << "memory only where it is needed";

  Heard heard(300, 0);
  std::vector<Segment> silent = {segment_of({heard.timestamp(0), heard.timestamp(10)})};
  ASSERT_TRUE(align_window(heard.model, *heard.state, heard.window, heard.task(), silent));
  ASSERT_TRUE(align_window(heard.model, *heard.state, heard.window, heard.task(), {}));
  EXPECT_EQ(times(silent), (std::vector<int>{-1, -1}));
}

TEST(AlignWindow, AnAbortIsPassedOnAndLeavesAStateThatWorks) {
  Heard heard(300, 0);
  std::vector<Segment> segments = {segment_of({257, 258})};
  heard.state->engine->stream().set_abort_callback([](void*) { return true; }, nullptr);
  EXPECT_EQ(align_window(heard.model, *heard.state, heard.window, heard.task(), segments).code(), Code::kCancelled);
  heard.state->engine->stream().set_abort_callback(nullptr, nullptr);
  EXPECT_EQ(times(segments), (std::vector<int>{-1, -1}));
  EXPECT_TRUE(align_window(heard.model, *heard.state, heard.window, heard.task(), segments));
}

}  // namespace
}  // namespace speech::testing
