// The eleven numbers at the head of a model file and the ranges in which they make sense. Knows nothing of files.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"

namespace speech {

struct Hyperparameters {
  std::int32_t n_vocab = 0;
  std::int32_t n_audio_ctx = 0;    ///< frames after the encoder's convolutions, 1500
  std::int32_t n_audio_state = 0;  ///< width D of the encoder
  std::int32_t n_audio_head = 0;
  std::int32_t n_audio_layer = 0;
  std::int32_t n_text_ctx = 0;  ///< positions of the decoder, 448
  std::int32_t n_text_state = 0;
  std::int32_t n_text_head = 0;
  std::int32_t n_text_layer = 0;
  std::int32_t n_mels = 0;  ///< 80 or 128
  std::int32_t ftype = 0;   ///< type of the large weights, without the quantisation version
  std::int32_t quantization_version = 0;
};

/// Numbers in the file, each an int32: the last one holds ftype and version together.
inline constexpr std::size_t kHyperparameterCount = 11;

// Ranges. They leave room for other trainings of the architecture, and bound what a header can make us allocate.
inline constexpr std::int32_t kMaxAudioContext =
    4096;  ///< published: 1500, the half of 30 s in 10 ms frames; short-context trainings have less
inline constexpr std::int32_t kMinTextContext =
    16;  ///< half is left for the prompt, and decoding stops 4 before the other half ends
inline constexpr std::int32_t kMaxTextContext = 4096;                  ///< published: 448
inline constexpr std::int32_t kMaxWidth = 4096;                        ///< published: up to 1280
inline constexpr std::int32_t kMaxHeadWidth = 256;                     ///< published: 64
inline constexpr std::int32_t kMaxLayers = 128;                        ///< published: up to 32
inline constexpr std::uint64_t kMaxWeights = std::uint64_t{1} << 32U;  ///< published: up to 1.55e9

/// From the file's numbers, in file order. bad_format for a value out of range, unsupported for a type of weights that
/// the core does not compute with; both name the field, its value and what was expected.
Result<Hyperparameters> parse_hyperparameters(const std::int32_t (&fields)[kHyperparameterCount]);

}  // namespace speech
