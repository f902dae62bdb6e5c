// The features of a whole recording; see log_mel.h.
#include "audio/log_mel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "audio/mel_energies.h"

namespace speech {
namespace {

Status no_memory(const LogMel& mel) {
  return {Code::kOutOfMemory,
          "no memory for " + std::to_string(mel.n_mels) + " x " + std::to_string(mel.n_frames) + " log-mel values"};
}

}  // namespace

Status check_length(std::size_t n_samples) {
  constexpr std::size_t kMaxSamples = std::numeric_limits<std::int32_t>::max() - kChunkSamples;
  if (n_samples == 0) {
    return {Code::kInvalidArgument, "the recording has no samples; expected at least 1"};
  }
  if (n_samples > kMaxSamples) {
    return {Code::kInvalidArgument, "the recording has " + std::to_string(n_samples) + " samples; at most " +
                                        std::to_string(kMaxSamples) + " (37 hours) are supported, so split it"};
  }
  return Status::ok();
}

Status check_finite(std::span<const float> pcm, std::size_t first) {
  for (std::size_t i = 0; i < pcm.size(); ++i) {
    if (!std::isfinite(pcm[i])) {
      return {Code::kInvalidArgument, "sample " + std::to_string(first + i) + " is " +
                                          (std::isnan(pcm[i]) ? "not a number" : "infinite") +
                                          "; expected finite values, nominally in [-1, 1]"};
    }
  }
  return Status::ok();
}

Status check_samples(std::span<const float> pcm) {
  SPEECH_RETURN_IF_ERROR(check_length(pcm.size()));
  return check_finite(pcm);
}

Result<LogMel> log_mel(std::span<const float> pcm, const MelFilters& filters, int n_threads,
                       const std::function<bool()>& cancelled) {
  SPEECH_RETURN_IF_ERROR(check_samples(pcm));
  SPEECH_RETURN_IF_ERROR(check_filters(filters));
  SPEECH_RETURN_IF_ERROR(check_mel_threads(n_threads));
  const auto n_samples = static_cast<std::int64_t>(pcm.size());
  const FrameCounts counts = frame_counts(n_samples);
  LogMel mel{filters.n_mels, counts.n_frames, counts.n_audio_frames, {}};
  const auto row_length = static_cast<std::size_t>(mel.n_frames);
  try {
    const std::vector<MelBand> bands = bands_of(filters);
    mel.values.assign(static_cast<std::size_t>(mel.n_mels) * row_length, kSilentEnergy);
    if (!mel_energies({pcm, 0, n_samples}, bands, 0, counts.n_active, n_threads, cancelled, mel.values.data(),
                      row_length)) {
      return Status(Code::kCancelled, "log-mel features: cancelled by the caller");
    }
  } catch (const std::bad_alloc&) {
    return no_memory(mel);
  } catch (const std::length_error&) {  // more than a 32-bit address space
    return no_memory(mel);
  }
  normalise_energies(*std::ranges::max_element(mel.values), mel.values);
  return mel;
}

}  // namespace speech
