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

/// Triangular filters of a model file. weights: (n_mels, 201), row-major.
struct MelFilters {
  int n_mels = 0;
  std::vector<float> weights;
};

/// values: (n_mels, n_frames), row-major. Frame f is centred on sample 160 * f, so it sees samples 160 f - 200 .. 160 f
/// + 199.
struct LogMel {
  int n_mels = 0;
  int n_frames = 0;  ///< with the 30 s of silence behind the recording: (n_samples + 480000) / 160, rounded down
  /// Frames that the recording itself fills: 1 + (n_samples - 200) / 160 rounded towards zero, at least 0; that is 0 up
  /// to 40 samples, 1 up to 359, 99 at one second. The seek loop ends there; this count is the one of whisper.cpp, so
  /// that both cores stop at the same frame.
  int n_audio_frames = 0;
  std::vector<float> values;
};

/// invalid_argument for no samples, or more than 2^31 - 1 with the silence.
Status check_length(std::size_t n_samples);

/// invalid_argument for a sample that is not finite, by its index in the recording; first: that of pcm.
Status check_finite(std::span<const float> pcm, std::size_t first = 0);

/// Both.
Status check_samples(std::span<const float> pcm);

/// Log-mel features of a whole recording, followed by 30 s of silence.
/// pcm: (n_samples,), nominally in [-1, 1], 16 kHz mono, at least 1 sample. In front, it is reflected by 200 samples
/// without repeating its first one (a shorter recording is reflected as far as it goes, then zero). The clamp (largest
/// log10 energy - 8) uses the maximum over all frames, the silence included. Each filter is applied over its non-zero
/// range only. n_threads: 1..64; changes the time taken, never a bit of the result. `cancelled`, if given, is asked now
/// and then, on the calling thread only; true ends the work with code cancelled. Computed in double precision, stored
/// as float; besides `values`, working memory is 60 KiB per thread. Fails with invalid_argument for an empty,
/// non-finite (naming the first such index) or too long pcm (more than 2^31 - 1 samples with the silence), for filters
/// that are not finite or do not fit n_mels, and for n_threads out of range; with out_of_memory. Source: Radford et al.
/// 2022, section 2.2; openai/whisper audio.py log_mel_spectrogram.
Result<LogMel> log_mel(std::span<const float> pcm, const MelFilters& filters, int n_threads,
                       const std::function<bool()>& cancelled = {});

}  // namespace speech
