// Voice activity detection as a whole: from a recording to its speech, cut out, with a way back to the original times.
// Knows the layers of this folder, not what is done with the speech.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "vad/silero.h"
#include "vad/speech_segments.h"
#include "vad/timeline.h"

namespace speech {

/// What is left of a recording.
struct SpeechCut {
  std::vector<float> pcm;               ///< stretches of speech joined with 0.1 s of silence; empty without speech
  std::vector<SpeechSegment> segments;  ///< in samples of the original recording, without overlaps
  Timeline timeline;                    ///< from pcm back to the original recording
};

/// Asked now and then; true ends the work.
using VadAbort = std::function<bool()>;

/// Finds the speech of a recording from a fresh stream and cuts it out. pcm: (n,) finite samples, 16 kHz mono.
/// invalid_argument for options out of range, cancelled if should_abort said so; the network can be used again then.
Result<SpeechCut> cut_speech(SileroVad& vad, std::span<const float> pcm, const VadOptions& options,
                             const VadAbort& should_abort = {});

}  // namespace speech
