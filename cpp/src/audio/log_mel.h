// Log-mel features by OpenAI's definition. Knows samples and filters, nothing of models or files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/status.h"

namespace speech {

inline constexpr int kSampleRate = 16000;  ///< Hz
inline constexpr int kFftSize = 400;       ///< samples, 25 ms Hann window
inline constexpr int kHopLength = 160;     ///< samples, 10 ms
inline constexpr int kFftBins = kFftSize / 2 + 1;
inline constexpr int kChunkSamples = 30 * kSampleRate;
inline constexpr int kChunkFrames = kChunkSamples / kHopLength;  ///< 3000

/// Triangular filters of a model file. weights: (n_mels, 201), row-major.
struct MelFilters {
  int n_mels = 0;
  std::vector<float> weights;
};

/// values: (n_mels, n_frames), row-major.
struct LogMel {
  int n_mels = 0;
  int n_frames = 0;        ///< with the 30 s of silence behind the recording
  int n_audio_frames = 0;  ///< frames of the recording itself: ceil-free count, n_samples / hop
  std::vector<float> values;
};

/// Log-mel features of a whole recording, followed by 30 s of silence.
/// pcm: (n_samples,) in [-1, 1], 16 kHz mono, at least 1 sample; reflected by 200 samples at its start (shorter input is
/// reflected as far as it goes, then zero). The clamp (largest log10 energy - 8) uses the maximum over all frames.
/// Each filter is applied over its non-zero range only. n_threads (1..64) changes the time taken, never the result.
/// `cancelled`, if given, is asked now and then; true ends the work with code cancelled.
/// Fails with invalid_argument, naming the first index, if pcm holds a NaN or an infinity, or is longer than 2^31 - 1
/// samples with the padding. Source: Radford et al. 2022, section 2.2; openai/whisper audio.py log_mel_spectrogram.
Result<LogMel> log_mel(std::span<const float> pcm, const MelFilters& filters, int n_threads, const std::function<bool()>& cancelled = {});

}  // namespace speech
