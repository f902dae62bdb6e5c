// From one probability a window to stretches of speech: pure rules, without a model.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/status.h"

namespace speech {

/// What counts as speech. The defaults are those of whisper.h.
struct VadOptions {
  float threshold = 0.5F;                                  ///< 0..1: a window is speech from this probability on
  int min_speech_ms = 250;                                 ///< from 0: shorter speech is left out
  int min_silence_ms = 100;                                ///< from 0: so much silence ends speech
  float max_speech_s = std::numeric_limits<float>::max();  ///< above 0: longer speech is cut; infinity is allowed
  int pad_ms = 30;                                         ///< from 0: is added on both sides
  float overlap_s = 0.1F;  ///< from 0: more audio behind each stretch, for the cut recording only (timeline.h)
};

/// invalid_argument with the name that whisper.h gives the option, its value and its range. Durations end at an hour.
Status check(const VadOptions& options);

/// [begin, end) in samples of the recording.
struct SpeechSegment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// Stretches of speech in a recording of n_samples, in order, apart and inside the recording.
/// probabilities: one for each window of 512 samples, as SileroVad::run() gives; more than n_samples has are ignored.
/// options must have passed check(). The rules, from snakers4/silero-vad unless another source is named:
/// - Speech begins with a window at the threshold or above, and ends where the probability fell under threshold - 0.15
///   (at least 0.01) and did not reach the threshold again for min_silence_ms.
/// - Speech longer than max_speech_s, less a window and both pads, is cut at its longest silence above 98 ms; without
///   one, right there, and goes on at once.
/// - Speech must be longer than min_speech_ms, but for the part before a cut.
/// - Gaps under 200 ms are closed (whisper.cpp), unless that makes speech longer than the rule above allows.
/// - Each stretch grows by pad_ms on both sides; neighbours share a gap that is too small for both.
std::vector<SpeechSegment> find_speech(std::span<const float> probabilities, std::int64_t n_samples,
                                       const VadOptions& options);

}  // namespace speech
