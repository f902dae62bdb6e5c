// What one transcription at a time needs and leaves: engine, features, results, timings.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "audio/log_mel.h"
#include "decode/segments.h"
#include "session/timings.h"
#include "text/vocabulary.h"
#include "whisper/engine.h"

namespace speech {

struct State {
  explicit State(std::unique_ptr<Engine> engine_of_state) : engine(std::move(engine_of_state)) {}

  std::unique_ptr<Engine> engine;
  LogMel mel;                      ///< of the last recording
  int encoded_seek = -1;           ///< first frame of the window that the engine holds; -1 none
  int encoded_frames = 0;          ///< T of that window
  std::vector<float> window;       ///< (2T, M) staging of a window
  std::vector<float> logits;       ///< (V) after the last decode() of the step-by-step interface
  std::vector<Token> past;         ///< text so far, as context for the next window
  std::vector<Segment> segments;   ///< results
  int language = -1;               ///< id; -1 before any
  float language_probability = 0;  ///< if it was detected
  Timings timings;

  /// The features have changed: nothing encoded holds any longer.
  void forget_audio() { encoded_seek = -1; }

  std::atomic<bool> busy = false;  ///< set by the call that uses the state; see StateClaim
};

/// Marks a state as in use for its life; is_held() is false if another call uses it.
class StateClaim {
 public:
  explicit StateClaim(State& state) : state_(state), held_(!state.busy.exchange(true, std::memory_order_acquire)) {}
  StateClaim(const StateClaim&) = delete;
  StateClaim& operator=(const StateClaim&) = delete;
  ~StateClaim() {
    if (held_) {
      state_.busy.store(false, std::memory_order_release);
    }
  }
  bool is_held() const { return held_; }

 private:
  State& state_;
  bool held_;
};

}  // namespace speech
