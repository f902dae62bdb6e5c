// The steps that transcription is made of, each on one state: features, encoding of a window, one decoder step,
// language.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "session/context.h"
#include "session/options.h"
#include "session/state.h"

namespace speech {

/// Asks the abort callback; empty if there is none. The callbacks must outlive it.
std::function<bool()> cancellation(const Callbacks& callbacks);

/// Replaces a state's features where no callback on another thread is reading their length.
void set_features(State& state, Features features, const Callbacks& callbacks);

/// state.features <- log-mel features of samples. Errors of log_mel() and of a source.
Status compute_features(const Context& context, State& state, const Samples& samples, int n_threads,
                        const Callbacks& callbacks);

/// Encodes the 2T frames from `seek` on, T = audio_ctx or the model's if 0; frames behind the features are zero. A
/// window that is already encoded is not encoded again. cancelled if the abort callback says so.
Status encode_window(const Context& context, State& state, int seek, int audio_ctx, int n_threads);

/// One step of the decoder, timed by its size. Returns (R, V) logits.
Result<std::span<const float>> decode_step(State& state, std::span<const StepToken> step);

/// Language of the window at `seek` by the model's own judgement; sets state.language and its probability.
/// candidates: ids to choose among, empty for all; the probability is then that among them.
/// probabilities: empty, or one for each language of the model, to fill (of all, whatever the candidates).
/// unsupported for English-only models.
Status detect_language(const Context& context, State& state, int seek, int audio_ctx, int n_threads,
                       std::span<const int> candidates, std::span<float> probabilities);

/// Puts an abort callback on the state and its stream for its life.
class AbortScope {
 public:
  AbortScope(State& state, const Callbacks& callbacks) : state_(state) {
    state_.engine->stream().set_abort_callback(callbacks.abort, callbacks.abort_user_data);
    state_.cancelled = cancellation(callbacks);
  }
  AbortScope(const AbortScope&) = delete;
  AbortScope& operator=(const AbortScope&) = delete;
  ~AbortScope() {
    state_.engine->stream().set_abort_callback(nullptr, nullptr);
    state_.cancelled = nullptr;
  }

 private:
  State& state_;
};

/// Features that are read as they are needed go with the recording: at the end of its life, however the call ends.
class RecordingScope {
 public:
  RecordingScope(State& state, const Samples& samples, const Callbacks& callbacks)
      : state_(state), callbacks_(callbacks), closes_(!samples.is_in_memory()) {}
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;
  ~RecordingScope() {
    if (closes_) {
      set_features(state_, {}, callbacks_);
    }
  }

 private:
  State& state_;
  const Callbacks& callbacks_;
  bool closes_;
};

}  // namespace speech
