// The temperature loop and the token loop.
#include "session/window_decoder.h"

#include <algorithm>
#include <cmath>

#include "session/steps.h"

namespace speech {
namespace {

// Text before the window confuses hot draws more than it helps. Source: openai/whisper transcribe.py, prompt reset at
// 0.5.
constexpr float kPastTemperatureLimit = 0.5F;
constexpr float kZeroTemperature = 1e-6F;

RuleOptions rule_options(const Context& context, const Options& options) {
  RuleOptions rules;
  rules.suppress_blank = options.suppress_blank;
  rules.suppress_non_speech = options.suppress_non_speech;
  rules.no_timestamps = options.no_timestamps;
  rules.single_segment = options.single_segment;
  rules.max_tokens = options.max_tokens;
  const float step_s = 30.0F / static_cast<float>(context.hyperparameters().n_audio_ctx);
  const float n_steps = options.max_initial_timestamp_s / step_s;
  const auto n_vocab = static_cast<float>(context.vocabulary().size());
  rules.max_initial_timestamp =
      options.max_initial_timestamp_s > 0 ? static_cast<int>(std::lround(std::min(n_steps, n_vocab))) : -1;
  return rules;
}

}  // namespace

WindowDecoder::WindowDecoder(const Context& context, State& state, const Options& options)
    : context_(context),
      state_(state),
      options_(options),
      rules_(context.vocabulary(), rule_options(context, options)),
      temperatures_(temperatures(options.fallback)) {
  const auto n_most = static_cast<std::size_t>(options.best_of);
  candidates_.resize(n_most);
  for (std::size_t i = 0; i < n_most; ++i) {
    randoms_.emplace_back(i);
  }
  const auto n_context = static_cast<std::size_t>(context.hyperparameters().n_text_ctx);
  step_.reserve(n_context);
  step_candidates_.reserve(n_most);
  logits_.resize(static_cast<std::size_t>(context.vocabulary().size()));
  first_logits_.resize(logits_.size());
}

Result<const Sequence*> WindowDecoder::decode(const Window& window, const Prompt& prompt) {
  Choice choice;
  for (std::size_t i = 0; i < temperatures_.size(); ++i) {
    const float temperature = temperatures_[i];
    const int n_candidates = temperature > 0 ? options_.best_of : 1;
    SPEECH_RETURN_IF_ERROR(start(prompt, temperature, n_candidates));
    for (std::size_t j = 0; j < n_candidates_; ++j) {
      candidates_[j].reset(window.max_steps);
      choose_next(j, first_logits_, temperature, window);
    }
    for (int step = 1; step < window.max_steps; ++step) {
      SPEECH_RETURN_IF_ERROR(advance(window, temperature));
      if (step_.empty()) {
        break;
      }
    }
    choice = choose(std::span(candidates_).first(n_candidates_), options_.fallback, no_speech_probability_);
    state_.timings.n_fail_entropy += choice.low_entropy ? 1 : 0;
    const bool is_last = i + 1 == temperatures_.size();
    if (!choice.needs_fallback || is_last) {
      break;
    }
    state_.timings.n_fail_probability += 1;
  }
  return &candidates_[static_cast<std::size_t>(choice.best)];
}

// Decodes the prompt as sequence 0, shares its cells with the other candidates, and keeps the logits that follow it.
Status WindowDecoder::start(const Prompt& prompt, float temperature, int n_candidates) {
  const Hyperparameters& sizes = context_.hyperparameters();
  n_candidates_ = static_cast<std::size_t>(n_candidates);
  step_.clear();
  const auto add = [this](Token token) { step_.push_back({token, static_cast<Position>(step_.size()), 0, false}); };

  const int n_most = std::min(options_.n_max_text_ctx, sizes.n_text_ctx / 2) - 1;  // one is for the mark before it
  n_past_used_ = 0;
  if (temperature < kPastTemperatureLimit && n_most > 0 && !prompt.past.empty()) {
    n_past_used_ = std::min(n_most, static_cast<int>(prompt.past.size()));
    add(context_.vocabulary().special().prev);
    for (const Token token : prompt.past.last(static_cast<std::size_t>(n_past_used_))) {
      add(token);
    }
  }
  for (const Token token : prompt.task) {
    add(token);
  }
  step_.back().wants_logits = true;
  next_position_ = static_cast<Position>(step_.size());

  state_.engine->cache().clear();
  SPEECH_ASSIGN_OR_RETURN(const std::span<const float> logits, decode_step(state_, step_));
  std::ranges::copy(logits, first_logits_.begin());
  for (int i = 1; i < n_candidates; ++i) {
    state_.engine->cache().copy(0, i);
  }
  const ScopedTimer timer(state_.timings.sample_ms);
  const auto no_speech = static_cast<std::size_t>(context_.vocabulary().special().nosp);
  no_speech_probability_ = std::exp(first_logits_[no_speech] - log_sum_exp(first_logits_));
  return Status::ok();
}

// One step for all live candidates together; leaves step_ empty if there are none.
Status WindowDecoder::advance(const Window& window, float temperature) {
  step_.clear();
  step_candidates_.clear();
  for (std::size_t i = 0; i < n_candidates_; ++i) {
    if (candidates_[i].is_live()) {
      step_.push_back({candidates_[i].tokens().back().id, next_position_, static_cast<SequenceId>(i), true});
      step_candidates_.push_back(i);
    }
  }
  if (step_.empty()) {
    return Status::ok();
  }
  ++next_position_;
  SPEECH_ASSIGN_OR_RETURN(const std::span<const float> logits, decode_step(state_, step_));
  for (std::size_t row = 0; row < step_candidates_.size(); ++row) {
    choose_next(step_candidates_[row], logits.subspan(row * logits_.size(), logits_.size()), temperature, window);
  }
  return Status::ok();
}

void WindowDecoder::choose_next(std::size_t candidate, std::span<const float> logits, float temperature,
                                const Window& window) {
  const ScopedTimer timer(state_.timings.sample_ms);
  const SpecialTokens& special = context_.vocabulary().special();
  Sequence& sequence = candidates_[candidate];
  const bool draws = temperature > kZeroTemperature;
  const float scale = draws ? 1.0F / temperature : 1.0F;
  std::ranges::transform(logits, logits_.begin(), [scale](float value) { return value * scale; });

  rules_.suppress(logits_, sequence.view());
  if (options_.callbacks.filter_logits) {
    options_.callbacks.filter_logits(sequence.tokens(), logits_);
  }
  rules_.constrain_timestamps(logits_, sequence.view());
  rules_.normalize(logits_);
  const TokenData token =
      draws ? choose_at_random(logits_, special, randoms_[candidate]) : choose_most_probable(logits_, special);
  sequence.append(token, window, special);
  state_.timings.n_sample += 1;
}

}  // namespace speech
