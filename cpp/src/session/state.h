// What one transcription at a time needs and leaves: engine, features, results, timings.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/call_gate.h"
#include "decode/segments.h"
#include "session/features.h"
#include "session/timings.h"
#include "text/vocabulary.h"
#include "vad/vad.h"
#include "whisper/engine.h"

namespace speech {

struct State {
  explicit State(std::unique_ptr<Engine> engine_of_state) : engine(std::move(engine_of_state)) {}

  std::unique_ptr<Engine> engine;
  Features features;               ///< of the last recording
  int encoded_seek = -1;           ///< first frame of the window that the engine holds; -1 none
  int encoded_frames = 0;          ///< T of that window
  std::vector<float> window;       ///< (2T, M) staging of a window
  std::vector<float> logits;       ///< (V) after the last decode() of the step-by-step interface
  std::vector<Token> past;         ///< text so far, as context for the next window
  std::vector<Segment> segments;   ///< results
  int language = -1;               ///< id; -1 before any
  float language_probability = 0;  ///< 1 if it was named
  Timings timings;
  std::function<bool()> cancelled;  ///< whether the call that runs shall stop; empty where nobody can ask it to

  std::vector<SpeechSegment> vad_segments;  ///< results: speech that VAD found, times in the recording

  /// Before each transcription.
  void clear_results() {
    segments.clear();
    vad_segments.clear();
    language = -1;
    language_probability = 0;
  }

  /// The features have changed: nothing encoded holds any longer.
  void forget_audio() { encoded_seek = -1; }

  std::shared_ptr<CallGate> gate = std::make_shared<CallGate>(1);  ///< one call at a time
};

}  // namespace speech
