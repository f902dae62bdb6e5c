// A model that says what a test tells it to: a small made-up model whose logits are replaced, so that every rule of the
// seek loop has one exact outcome. The decoding rules still apply on top of the script; a token that they forbid is a
// failure of the test. Header-only; knows no C function.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "backend/registry.h"
#include "model/synthetic_model.h"
#include "session/transcribe.h"

namespace speech::testing {

inline std::unique_ptr<Context> load(const SyntheticSpec& spec = {}) {
  const SyntheticModel& model = synthetic_model(spec);
  auto factory = backend_factory("cpu");
  EXPECT_TRUE(factory) << factory.status().message();
  auto context = Context::load(memory_source(model.bytes), *factory);
  EXPECT_TRUE(context) << context.status().message();
  return std::move(context).value();
}

/// English-only; a text context of 64, so at most 31 past tokens and 28 steps. Made once: fifty thousand words take a
/// while.
inline const Context& english() {
  static const std::unique_ptr<Context> context = load();
  return *context;
}

/// 99 languages; otherwise as english().
inline const Context& multilingual() {
  static const std::unique_ptr<Context> context = [] {
    SyntheticSpec spec;
    spec.n_vocab = 51865;
    return load(spec);
  }();
  return *context;
}

inline std::unique_ptr<State> new_state(const Context& context) {
  auto state = context.new_state();
  EXPECT_TRUE(state) << state.status().message();
  return std::move(state).value();
}

/// A recording of exactly this many frames of 10 ms, as the features count them.
inline std::vector<float> recording(int n_frames) {
  std::vector<float> samples(static_cast<std::size_t>((n_frames - 1) * kHopLength + kFftSize / 2));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto t = static_cast<float>(i);
    samples[i] = 0.3F * std::sin(0.05F * t) + 0.2F * std::sin(0.0007F * t);
  }
  return samples;
}

/// One token of a script. An improbable one must be a timestamp: all text together outweighs it by far, but no single
/// text token does, so that the rule of timestamp mass takes it, at any temperature, with a log-probability near -10.
struct Cue {
  Token token = 0;
  bool is_improbable = false;
};
using Script = std::vector<Cue>;

/// Text tokens of the made-up vocabularies: "aa", "ab", "ac".
inline constexpr Cue kA = {257};
inline constexpr Cue kB = {258};
inline constexpr Cue kC = {259};

/// Plays scripts to one state, and notes what the loop did. Lives as long as the options that it is in.
class Playback {
 public:
  /// Script of one attempt: `window` counts windows, `attempt` the candidates that were begun in it before this one.
  using Choose = std::function<Script(int window, int attempt, std::span<const TokenData> tokens)>;

  Playback(const Context& context, State& state, std::vector<Script> windows)
      : Playback(context, state, [windows = std::move(windows)](int window, int, std::span<const TokenData>) {
          const auto i = static_cast<std::size_t>(window);
          return i < windows.size() ? windows[i] : Script{};
        }) {}
  Playback(const Context& context, State& state, Choose choose)
      : context_(context), state_(state), choose_(std::move(choose)) {}

  /// Replaces the logits (V) that follow `tokens`.
  void filter(std::span<const TokenData> tokens, std::span<float> logits) {
    const int fed = state_.timings.n_decode + state_.timings.n_batch + state_.timings.n_prompt;
    if (tokens.empty()) {
      begin(fed - fed_at_last_call_, logits);
    }
    fed_at_last_call_ = fed;

    const Script script = choose_(n_windows() - 1, attempts.back() - 1, tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      ASSERT_LT(i, script.size()) << "window " << n_windows() - 1 << " goes on behind its script";
      ASSERT_EQ(tokens[i].id, script[i].token) << "the rules forbid token " << i << " of window " << n_windows() - 1;
    }
    const SpecialTokens& special = context_.vocabulary().special();
    const Cue cue = tokens.size() < script.size() ? script[tokens.size()] : Cue{special.eot};
    EXPECT_LT(tokens.size(), script.size()) << "window " << n_windows() - 1 << " goes on behind its script";
    ASSERT_TRUE(!cue.is_improbable || cue.token >= special.beg);
    std::ranges::fill(logits, -std::numeric_limits<float>::infinity());
    if (cue.is_improbable) {
      std::ranges::fill(logits.first(static_cast<std::size_t>(special.eot)), 0.0F);
    }
    logits[static_cast<std::size_t>(cue.token)] = 0.5F;
  }

  int n_windows() const { return static_cast<int>(seeks.size()); }

  std::vector<int> seeks;                        ///< first frame of each window
  std::vector<int> attempts;                     ///< candidates begun in each window, over all temperatures
  std::vector<int> prompt_sizes;                 ///< tokens of the first prompt of each window
  std::vector<std::vector<Token>> past;          ///< past text of each window, before its prompt was cut to size
  std::vector<std::vector<float>> first_logits;  ///< (V) after the first prompt of each window, by the model itself

 private:
  void begin(int n_fed, std::span<const float> logits) {
    if (seeks.empty() || state_.encoded_seek != seeks.back()) {
      seeks.push_back(state_.encoded_seek);
      attempts.push_back(0);
      prompt_sizes.push_back(n_fed);
      past.push_back(state_.past);
      first_logits.emplace_back(logits.begin(), logits.end());
    }
    attempts.back() += 1;
  }

  const Context& context_;
  State& state_;
  Choose choose_;
  int fed_at_last_call_ = 0;
};

/// A model, a state, options that leave only the rule in question, and what came of it.
class Session {
 public:
  explicit Session(const Context& context = english()) : context_(context), state_(new_state(context)) {
    options.n_threads = 1;
    options.best_of = 1;
    options.fallback.temperature_step = 0;
    options.max_initial_timestamp_s = 0;  // no limit: made-up models have short windows, which scale it
  }

  const SpecialTokens& special() const { return context_.vocabulary().special(); }
  Cue eot() const { return {special().eot}; }
  /// The timestamp of a time inside the window.
  Cue at(double seconds) const { return {special().beg + static_cast<Token>(std::lround(seconds * 50))}; }
  Cue improbable(double seconds) const { return {at(seconds).token, true}; }

  template <typename Scripts>
  Playback play(int n_frames, Scripts scripts) {
    return play(recording(n_frames), std::move(scripts));
  }
  template <typename Scripts>
  Playback play(const std::vector<float>& samples, Scripts scripts) {
    state_->timings = {};
    Playback playback(context_, *state_, std::move(scripts));
    Options with_script = options;
    with_script.callbacks.filter_logits = [&playback](std::span<const TokenData> tokens, std::span<float> logits) {
      playback.filter(tokens, logits);
    };
    status = transcribe(context_, *state_, with_script, samples, stage);
    return playback;
  }

  /// "start-end text" of each segment, in frames.
  std::vector<std::string> segments() const {
    std::vector<std::string> lines;
    for (const Segment& segment : state_->segments) {
      lines.push_back(std::to_string(segment.start) + "-" + std::to_string(segment.end) + " " + segment.text);
    }
    return lines;
  }

  State& state() { return *state_; }

  Options options;
  Status status = Status::ok();
  Stage stage = Stage::kOptions;

 private:
  const Context& context_;
  std::unique_ptr<State> state_;
};

inline std::vector<Token> ids(const Script& script) {
  std::vector<Token> tokens;
  for (const Cue& cue : script) {
    tokens.push_back(cue.token);
  }
  return tokens;
}

using Lines = std::vector<std::string>;
using Frames = std::vector<int>;
using Scripts = std::vector<Script>;

}  // namespace speech::testing
