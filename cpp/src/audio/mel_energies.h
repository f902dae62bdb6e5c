// Log10 energies of a recording's frames in mel bands: log-mel features before the clamp, which needs all of them.
// Private to this folder.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "audio/log_mel.h"

namespace speech {

inline constexpr float kSilentEnergy = -10.0F;  ///< log10 of the floor

/// Frames of a recording of n_samples.
struct FrameCounts {
  int n_frames = 0;        ///< with the 30 s of silence behind it
  int n_audio_frames = 0;  ///< as LogMel's
  int n_active = 0;        ///< those that see a sample; behind them all is silent
};
FrameCounts frame_counts(std::int64_t n_samples);

/// Some of the samples of a recording.
struct PcmStretch {
  std::span<const float> pcm;
  std::int64_t begin = 0;      ///< of pcm in the recording
  std::int64_t n_samples = 0;  ///< of the recording
};

/// The samples that frames first .. end - 1 see: from, to.
std::array<std::int64_t, 2> samples_of_frames(int first, int end, std::int64_t n_samples);

/// A filter without the zeros around it; points into the filters that it is of.
struct MelBand {
  int first_bin = 0;
  std::span<const float> weights;
};
std::vector<MelBand> bands_of(const MelFilters& filters);

/// Log10 energies of frames first .. end - 1, at most n_active, into out[m * row_length + frame - first]. `first` is a
/// multiple of kFftLanes. False if cancelled. Threads change the time taken, never a bit.
bool mel_energies(const PcmStretch& stretch, std::span<const MelBand> bands, int first, int end, int n_threads,
                  const std::function<bool()>& cancelled, float* out, std::size_t row_length);

/// Clamps energies to the loudest of the recording minus 8, and scales: the features.
void normalise_energies(float loudest, std::span<float> values);

Status check_filters(const MelFilters& filters);
Status check_mel_threads(int n_threads);

}  // namespace speech
