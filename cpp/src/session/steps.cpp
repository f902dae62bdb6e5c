// Features, windows, steps, language.
#include "session/steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/threads.h"
#include "decode/sampling.h"

namespace speech {

std::function<bool()> cancellation(const Callbacks& callbacks) {
  if (callbacks.abort == nullptr) {
    return {};
  }
  return [&callbacks] { return callbacks.abort(callbacks.abort_user_data); };
}

void set_features(State& state, Features features, const Callbacks& callbacks) {
  const auto lock =
      callbacks.results_mutex != nullptr ? std::unique_lock(*callbacks.results_mutex) : std::unique_lock<Mutex>();
  state.features = std::move(features);
}

Status compute_features(const Context& context, State& state, const Samples& samples, int n_threads,
                        const Callbacks& callbacks) {
  const ScopedTimer timer(state.timings.mel_ms);
  state.forget_audio();
  set_features(state, {}, callbacks);
  const std::function<bool()> cancelled = cancellation(callbacks);
  if (samples.is_in_memory()) {
    SPEECH_ASSIGN_OR_RETURN(LogMel whole, log_mel(samples.memory(), context.filters(), n_threads, cancelled));
    set_features(state, Features(std::move(whole)), callbacks);
  } else {
    SPEECH_ASSIGN_OR_RETURN(LogMelReader reader, LogMelReader::open(samples, context.filters(), n_threads, cancelled));
    set_features(state, Features(std::move(reader)), callbacks);
  }
  return Status::ok();
}

Status encode_window(const Context& context, State& state, int seek, int audio_ctx, int n_threads) {
  const int n_frames = audio_ctx > 0 ? audio_ctx : context.hyperparameters().n_audio_ctx;
  if (state.encoded_seek == seek && state.encoded_frames == n_frames) {
    return Status::ok();
  }
  state.forget_audio();
  {
    const ScopedTimer timer(state.timings.mel_ms);
    SPEECH_RETURN_IF_ERROR(state.features.window(seek, 2 * n_frames, n_threads, state.cancelled, state.window));
  }
  const ScopedTimer timer(state.timings.encode_ms);
  state.engine->stream().set_n_threads(n_threads);
  SPEECH_RETURN_IF_ERROR(state.engine->encode(state.window));
  state.encoded_seek = seek;
  state.encoded_frames = n_frames;
  state.timings.n_encode += 1;
  return Status::ok();
}

Result<std::span<const float>> decode_step(State& state, std::span<const StepToken> step) {
  constexpr std::size_t kPromptTokens = 16;  // from here on a step counts as a prompt
  Timings& timings = state.timings;
  const auto n = static_cast<std::int32_t>(step.size());
  if (step.size() == 1) {
    timings.n_decode += 1;
  } else if (step.size() < kPromptTokens) {
    timings.n_batch += n;
  } else {
    timings.n_prompt += n;
  }
  const ScopedTimer timer(step.size() == 1              ? timings.decode_ms
                          : step.size() < kPromptTokens ? timings.batch_ms
                                                        : timings.prompt_ms);
  return state.engine->decode(step);
}

Status detect_language(const Context& context, State& state, int seek, int audio_ctx, int n_threads,
                       std::span<const int> candidates, std::span<float> probabilities) {
  const Vocabulary& vocabulary = context.vocabulary();
  if (!vocabulary.is_multilingual()) {
    return {Code::kUnsupported, "the model is English-only: it cannot detect a language; load a multilingual model"};
  }
  SPEECH_RETURN_IF_ERROR(encode_window(context, state, seek, audio_ctx, n_threads));
  state.engine->cache().clear();
  const StepToken start = {vocabulary.special().sot, 0, 0, true};
  SPEECH_ASSIGN_OR_RETURN(const std::span<const float> logits, decode_step(state, std::span(&start, 1)));

  const auto languages = logits.subspan(static_cast<std::size_t>(vocabulary.special().first_language),
                                        static_cast<std::size_t>(vocabulary.n_languages()));
  std::vector<float> logs(languages.begin(), languages.end());
  log_softmax(logs);
  const auto log_of = [&logs](int id) { return logs[static_cast<std::size_t>(id)]; };
  if (candidates.empty()) {
    state.language = static_cast<int>(std::ranges::max_element(logs) - logs.begin());
    state.language_probability = std::exp(log_of(state.language));
  } else {
    std::vector<float> wanted;
    std::ranges::transform(candidates, std::back_inserter(wanted), log_of);
    state.language = *std::ranges::max_element(candidates, {}, log_of);
    state.language_probability = std::exp(log_of(state.language) - log_sum_exp(wanted));
  }
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    probabilities[i] = i < logs.size() ? std::exp(logs[i]) : 0.0F;
  }
  state.engine->cache().clear();
  return Status::ok();
}

}  // namespace speech
