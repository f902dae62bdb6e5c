// The temperature loop and the token loop.
#include "session/window_decoder.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "decode/compression.h"
#include "session/steps.h"

namespace speech {
namespace {

// Text before the window confuses hot draws more than it helps. Source: openai/whisper transcribe.py, prompt reset at
// 0.5.
constexpr float kPastTemperatureLimit = 0.5F;
constexpr float kZeroTemperature = 1e-6F;

RuleOptions rule_options(const Context& context, const Options& options, std::vector<Token> suppressed) {
  RuleOptions rules;
  rules.allow_speaker_turn = options.speaker_turns;
  rules.suppressed = std::move(suppressed);
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

WindowDecoder::WindowDecoder(const Context& context, State& state, const Options& options,
                             std::vector<Token> suppressed)
    : context_(context),
      state_(state),
      options_(options),
      rules_(context.vocabulary(), rule_options(context, options, std::move(suppressed))),
      temperatures_(temperatures(options.fallback)) {
  const auto n_draws = static_cast<std::size_t>(options.best_of);
  candidates_.resize(n_draws);
  for (std::size_t i = 0; i < n_draws; ++i) {
    // All bits of a seed matter, and neighbours give streams far apart; 0 is the streams 0, 1, 2 ...
    const std::uint64_t first = options.seed == 0 ? 0 : Random(options.seed).next();
    randoms_.emplace_back(first + i);
  }
  const auto n_context = static_cast<std::size_t>(context.hyperparameters().n_text_ctx);
  if (options.n_beams > 0) {
    beams_.emplace(options.n_beams, options.patience, static_cast<int>(n_context));
  }
  step_.reserve(n_context);
  step_candidates_.reserve(n_draws);
  logits_.resize(static_cast<std::size_t>(context.vocabulary().size()));
  first_logits_.resize(logits_.size());
}

Result<WindowDecoder> WindowDecoder::create(const Context& context, State& state, const Options& options,
                                            std::vector<Token> suppressed) {
  WindowDecoder decoder(context, state, options, std::move(suppressed));
  if (options.grammar != nullptr) {
    SPEECH_ASSIGN_OR_RETURN(decoder.grammar_, GrammarFilter::create(*options.grammar, context.vocabulary()));
    decoder.grammar_states_.resize(static_cast<std::size_t>(kMaxDecoders));
    decoder.next_grammar_states_.resize(static_cast<std::size_t>(kMaxDecoders));
  }
  return decoder;
}

Result<const Sequence*> WindowDecoder::decode(const Window& window, const Prompt& prompt) {
  const Sequence* best = nullptr;
  for (std::size_t i = 0; i < temperatures_.size(); ++i) {
    const float temperature = temperatures_[i];
    SPEECH_RETURN_IF_ERROR(start(prompt, temperature));
    if (grammar_) {
      std::ranges::fill(grammar_states_, grammar_->begin());
    }
    const bool searches = beams_ && temperature <= kZeroTemperature;
    SPEECH_ASSIGN_OR_RETURN(const std::span<Sequence> candidates,
                            searches ? search_beams(window) : draw(window, temperature));
    if (grammar_ && !grammar_->status()) {
      return grammar_->status();
    }
    Choice choice = choose(candidates, options_.fallback, no_speech_probability_);
    best = &candidates[static_cast<std::size_t>(choice.best)];
    if (!choice.needs_fallback && is_repetition(*best)) {
      choice.low_entropy = choice.needs_fallback = true;
    }
    state_.timings.n_fail_entropy += choice.low_entropy ? 1 : 0;
    const bool is_last = i + 1 == temperatures_.size();
    if (!choice.needs_fallback || is_last) {
      break;
    }
    state_.timings.n_fail_probability += 1;
  }
  return best;
}

bool WindowDecoder::is_repetition(const Sequence& best) const {
  if (options_.fallback.compression_ratio_threshold <= 0) {
    return false;
  }
  std::string text;
  for (const TokenData& token : best.tokens()) {
    if (context_.vocabulary().is_text(token.id)) {
      text += context_.vocabulary().bytes(token.id);
    }
  }
  return compression_ratio(text) > static_cast<double>(options_.fallback.compression_ratio_threshold);
}

// Decodes the prompt as sequence 0 and keeps the logits that follow it.
Status WindowDecoder::start(const Prompt& prompt, float temperature) {
  const Hyperparameters& sizes = context_.hyperparameters();
  step_.clear();
  const auto add = [this](Token token) { step_.push_back({token, static_cast<Position>(step_.size()), 0, false}); };

  const int n_most = std::min(options_.n_max_text_ctx, sizes.n_text_ctx / 2) - 1;  // one is for the mark before it
  n_past_used_ = 0;
  if (temperature < kPastTemperatureLimit && n_most > 0 && !(prompt.past.empty() && prompt.carried.empty())) {
    const auto carried = prompt.carried.last(std::min(prompt.carried.size(), static_cast<std::size_t>(n_most)));
    n_past_used_ = std::min(n_most - static_cast<int>(carried.size()), static_cast<int>(prompt.past.size()));
    add(context_.vocabulary().special().prev);
    std::ranges::for_each(carried, add);
    std::ranges::for_each(prompt.past.last(static_cast<std::size_t>(n_past_used_)), add);
  }
  std::ranges::for_each(prompt.task, add);
  step_.back().wants_logits = true;
  next_position_ = static_cast<Position>(step_.size());

  state_.engine->cache().clear();
  SPEECH_ASSIGN_OR_RETURN(const std::span<const float> logits, decode_step(state_, step_));
  std::ranges::copy(logits, first_logits_.begin());
  const ScopedTimer timer(state_.timings.sample_ms);
  const auto no_speech = static_cast<std::size_t>(context_.vocabulary().special().nosp);
  no_speech_probability_ = std::exp(first_logits_[no_speech] - log_sum_exp(first_logits_));
  return Status::ok();
}

// The most probable token at temperature 0, best_of independent draws above.
Result<std::span<Sequence>> WindowDecoder::draw(const Window& window, float temperature) {
  n_candidates_ = temperature > 0 ? static_cast<std::size_t>(options_.best_of) : 1;
  for (std::size_t i = 0; i < n_candidates_; ++i) {
    if (i > 0) {
      state_.engine->cache().copy(0, static_cast<SequenceId>(i));
    }
    candidates_[i].reset(window.max_steps);
    choose_next(i, first_logits_, temperature, window);
  }
  for (int step = 1; step < window.max_steps; ++step) {
    SPEECH_RETURN_IF_ERROR(advance(window, temperature));
    if (step_.empty()) {
      break;
    }
  }
  return std::span(candidates_).first(n_candidates_);
}

Result<std::span<Sequence>> WindowDecoder::search_beams(const Window& window) {
  beams_->restart();
  consider_beam(0, first_logits_);
  advance_beams(window);
  while (!beams_->live().empty()) {
    step_.clear();
    for (const Sequence& beam : beams_->live()) {
      step_.push_back({beam.tokens().back().id, next_position_, static_cast<SequenceId>(step_.size()), true});
    }
    ++next_position_;
    SPEECH_ASSIGN_OR_RETURN(const std::span<const float> logits, decode_step(state_, step_));
    for (std::size_t i = 0; i < step_.size(); ++i) {
      consider_beam(i, logits.subspan(i * logits_.size(), logits_.size()));
    }
    advance_beams(window);
  }
  return beams_->results();
}

// Beams, their cells and their places in the grammar move on together.
void WindowDecoder::advance_beams(const Window& window) {
  const ScopedTimer timer(state_.timings.sample_ms);
  const std::span<const std::int32_t> parents = beams_->advance(window, context_.vocabulary().special());
  state_.engine->cache().rearrange(parents);
  if (grammar_) {
    for (std::size_t i = 0; i < parents.size(); ++i) {
      next_grammar_states_[i] =
          grammar_->after(grammar_states_[static_cast<std::size_t>(parents[i])], beams_->live()[i].tokens().back().id);
    }
    std::swap(grammar_states_, next_grammar_states_);
  }
}

void WindowDecoder::consider_beam(std::size_t beam, std::span<const float> logits) {
  const ScopedTimer timer(state_.timings.sample_ms);
  apply_rules(beams_->live()[beam], beam, logits, 1.0F);
  beams_->consider(beam, logits_, context_.vocabulary().special());
  state_.timings.n_sample += 1;
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

// logits_ <- log-probabilities of the token after `sequence`, by the model and the rules.
void WindowDecoder::apply_rules(const Sequence& sequence, std::size_t candidate, std::span<const float> logits,
                                float scale) {
  std::ranges::transform(logits, logits_.begin(), [scale](float value) { return value * scale; });
  rules_.suppress(logits_, sequence.view());
  if (options_.callbacks.filter_logits) {
    options_.callbacks.filter_logits(sequence.tokens(), logits_);
  }
  rules_.constrain_timestamps(logits_, sequence.view());
  rules_.normalize(logits_);
  if (grammar_) {
    grammar_->apply(grammar_states_[candidate], options_.grammar_penalty, logits_);
    log_softmax(logits_);
  }
}

void WindowDecoder::choose_next(std::size_t candidate, std::span<const float> logits, float temperature,
                                const Window& window) {
  const ScopedTimer timer(state_.timings.sample_ms);
  const SpecialTokens& special = context_.vocabulary().special();
  Sequence& sequence = candidates_[candidate];
  const bool draws = temperature > kZeroTemperature;
  apply_rules(sequence, candidate, logits, draws ? 1.0F / temperature : 1.0F);
  const TokenData token =
      draws ? choose_at_random(logits_, special, randoms_[candidate]) : choose_most_probable(logits_, special);
  sequence.append(token, window, special);
  if (grammar_) {
    grammar_states_[candidate] = grammar_->after(grammar_states_[candidate], token.id);
  }
  state_.timings.n_sample += 1;
}

}  // namespace speech
