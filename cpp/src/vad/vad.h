// Voice activity detection as a whole: from a recording to its speech, cut out, with a way back to the original times.
// Knows the layers of this folder, not what is done with the speech.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "audio/samples.h"
#include "base/status.h"
#include "vad/silero.h"
#include "vad/speech_segments.h"
#include "vad/timeline.h"

namespace speech {

/// What is left of a recording.
struct SpeechCut {
  Samples samples;                      ///< stretches of speech joined with 0.1 s of silence; empty without speech
  std::vector<SpeechSegment> segments;  ///< in samples of the original recording, without overlaps
  Timeline timeline;                    ///< from samples back to the original recording
};

/// Asked now and then; true ends the work.
using VadAbort = std::function<bool()>;

/// Runs the network over a recording, from where its stream is. probabilities: (SileroVad::windows_in(size)), one for
/// each window, overwritten. invalid_argument for samples that are not finite, the recording's errors, cancelled if
/// should_abort said so; the network can be used again then.
Status speech_probabilities(SileroVad& vad, const Samples& recording, const VadAbort& should_abort,
                            std::span<float> probabilities);

/// Finds the speech of a recording from a fresh stream and cuts it out. A cut of samples in memory is in memory too;
/// another reads from the recording as it is needed. invalid_argument for options out of range and samples that are not
/// finite, cancelled if should_abort said so; the network can be used again then.
Result<SpeechCut> cut_speech(SileroVad& vad, const Samples& recording, const VadOptions& options,
                             const VadAbort& should_abort = {});

}  // namespace speech
