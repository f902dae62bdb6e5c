// Probabilities, stretches, cut: one after the other.
#include "vad/vad.h"

#include <algorithm>
#include <utility>

namespace speech {
namespace {

// About a second of audio between two questions: some milliseconds of work.
constexpr std::size_t kWindowsPerQuestion = 32;

}  // namespace

Result<SpeechCut> cut_speech(SileroVad& vad, std::span<const float> pcm, const VadOptions& options,
                             const VadAbort& should_abort) {
  SPEECH_RETURN_IF_ERROR(check(options));
  std::vector<float> probabilities(SileroVad::windows_in(pcm.size()));
  vad.reset();
  for (std::size_t window = 0; window < probabilities.size(); window += kWindowsPerQuestion) {
    if (should_abort && should_abort()) {
      return Status(Code::kCancelled, "voice activity detection was aborted by the caller");
    }
    const std::size_t n_windows = std::min(kWindowsPerQuestion, probabilities.size() - window);
    const auto rest = pcm.subspan(window * kVadWindowSamples);
    vad.run(rest.first(std::min(rest.size(), n_windows * kVadWindowSamples)),
            std::span(probabilities).subspan(window, n_windows));
  }
  SpeechCut cut;
  cut.segments = find_speech(probabilities, static_cast<std::int64_t>(pcm.size()), options);
  CutRecording recording =
      cut_recording(pcm, cut.segments, static_cast<std::int64_t>(static_cast<double>(options.overlap_s) * 16000.0));
  cut.pcm = std::move(recording.pcm);
  cut.timeline = std::move(recording.timeline);
  return cut;
}

}  // namespace speech
