// Probabilities, stretches, cut: one after the other.
#include "vad/vad.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "audio/log_mel.h"
#include "vad/cut_samples.h"

namespace speech {
namespace {

// About a second of audio between two questions: some milliseconds of work.
constexpr std::size_t kWindowsPerQuestion = 32;

}  // namespace

Status speech_probabilities(SileroVad& vad, const Samples& recording, const VadAbort& should_abort,
                            std::span<float> probabilities) {
  std::vector<float> room;
  for (std::size_t window = 0; window < probabilities.size(); window += kWindowsPerQuestion) {
    if (should_abort && should_abort()) {
      return {Code::kCancelled, "voice activity detection was aborted by the caller"};
    }
    const std::size_t n_windows = std::min(kWindowsPerQuestion, probabilities.size() - window);
    const std::size_t begin = window * kVadWindowSamples;
    const std::size_t n = std::min(recording.size() - begin, n_windows * kVadWindowSamples);
    SPEECH_ASSIGN_OR_RETURN(const std::span<const float> pcm, recording.read(begin, n, room));
    SPEECH_RETURN_IF_ERROR(check_finite(pcm, begin));
    vad.run(pcm, probabilities.subspan(window, n_windows));
  }
  return Status::ok();
}

Result<SpeechCut> cut_speech(SileroVad& vad, const Samples& recording, const VadOptions& options,
                             const VadAbort& should_abort) {
  SPEECH_RETURN_IF_ERROR(check(options));
  std::vector<float> probabilities(SileroVad::windows_in(recording.size()));
  vad.reset();
  SPEECH_RETURN_IF_ERROR(speech_probabilities(vad, recording, should_abort, probabilities));
  SpeechCut cut;
  cut.segments = find_speech(probabilities, static_cast<std::int64_t>(recording.size()), options);
  cut.timeline =
      join_speech(cut.segments, static_cast<std::int64_t>(static_cast<double>(options.overlap_s) * kSampleRate));
  const auto source = std::make_shared<const CutSamples>(recording, cut.timeline);
  if (recording.is_in_memory()) {
    std::vector<float> pcm(source->size());
    SPEECH_RETURN_IF_ERROR(source->read(0, pcm));
    cut.samples = Samples(std::make_shared<const std::vector<float>>(std::move(pcm)));
  } else {
    cut.samples = Samples(source);
  }
  return cut;
}

}  // namespace speech
