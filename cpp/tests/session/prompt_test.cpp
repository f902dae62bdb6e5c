// The prompt of a window, token by token: the logits that follow it are those of the same tokens decoded by hand.
#include <gtest/gtest.h>

#include "session/scripted.h"
#include "session/steps.h"

namespace speech::testing {
namespace {

constexpr std::size_t kFirst = 300;  // text tokens that no rule masks at the start of a window
constexpr std::size_t kCount = 1000;

std::vector<float> text_logits(std::span<const float> logits) {
  const std::span<const float> text = logits.subspan(kFirst, kCount);
  return {text.begin(), text.end()};
}

/// Text logits after `prompt` at a window, in a state of its own. The same step on the same back-end: bit for bit.
std::vector<float> logits_after(const Context& context, int n_frames, int seek, const std::vector<Token>& prompt) {
  const std::unique_ptr<State> state = new_state(context);
  EXPECT_TRUE(compute_features(context, *state, recording(n_frames), 1, {}));
  EXPECT_TRUE(encode_window(context, *state, seek, 0, 1));
  std::vector<StepToken> step;
  for (const Token token : prompt) {
    step.push_back({token, static_cast<Position>(step.size()), 0, false});
  }
  step.back().wants_logits = true;
  const auto logits = state->engine->decode(step);
  EXPECT_TRUE(logits) << logits.status().message();
  return text_logits(*logits);
}

TEST(Prompt, IsTheMarkTheEndOfThePastAndTheStartOfTheTranscript) {
  Session s;
  for (Token token = 300; token < 350; ++token) {
    s.options.prompt_tokens.push_back(token);
  }
  const Script first = {s.at(0), kA, s.at(25), s.at(25), s.eot()};
  const Playback heard = s.play(3999, Scripts{first, {s.at(0), kB, s.at(14.96)}});
  ASSERT_TRUE(s.status) << s.status.message();

  std::vector<Token> prompt = {s.special().prev};
  for (Token token = 350 - 31; token < 350; ++token) {
    prompt.push_back(token);
  }
  prompt.push_back(s.special().sot);
  EXPECT_EQ(text_logits(heard.first_logits[0]), logits_after(english(), 3999, 0, prompt));

  prompt.erase(prompt.begin() + 1, prompt.begin() + 1 + 4);  // makes room for the four tokens of the first window
  const std::vector<Token> result = ids({s.at(0), kA, s.at(25), s.at(25)});
  prompt.insert(prompt.end() - 1, result.begin(), result.end());
  EXPECT_EQ(text_logits(heard.first_logits[1]), logits_after(english(), 3999, 2500, prompt));
}

TEST(Prompt, OfAMultilingualModelNamesLanguageTaskAndTheLackOfTimestamps) {
  for (const bool translate : {false, true}) {
    for (const bool no_timestamps : {false, true}) {
      Session s(multilingual());
      s.options.language = "de";
      s.options.translate = translate;
      s.options.no_timestamps = no_timestamps;
      const Playback heard = s.play(2000, Scripts{{kA, s.eot()}});
      ASSERT_TRUE(s.status) << s.status.message();
      std::vector<Token> prompt = {s.special().sot, s.special().first_language + 2,
                                   translate ? s.special().translate : s.special().transcribe};
      if (no_timestamps) {
        prompt.push_back(s.special().not_);
      }
      EXPECT_EQ(text_logits(heard.first_logits[0]), logits_after(multilingual(), 2000, 0, prompt));
    }
  }
}

}  // namespace
}  // namespace speech::testing
