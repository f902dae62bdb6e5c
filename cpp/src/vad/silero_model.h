// Reads Silero voice activity models in ggml `.bin` form; every number is checked before it is used. Knows the file,
// not what is computed with it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/byte_source.h"

namespace speech {

/// The one published architecture for 16 kHz, as its files say. A window is what one probability speaks of; before it
/// the network looks at the end of the window before.
inline constexpr int kVadWindowSamples = 512;
inline constexpr int kVadContextSamples = 64;
inline constexpr int kVadFilterTaps = 256;  ///< of the short-time Fourier transform
inline constexpr int kVadBins = 129;
inline constexpr int kVadHidden = 128;  ///< width of the LSTM
inline constexpr int kVadTaps = 3;      ///< of each convolution
inline constexpr int kVadConvolutions = 4;

struct SileroChannels {
  int in;
  int out;
};
inline constexpr std::array<SileroChannels, kVadConvolutions> kVadChannels = {
    {{kVadBins, 128}, {128, 64}, {64, 64}, {64, kVadHidden}}};

/// Weights as the file has them, outermost dimension first, widened to float32; all finite.
struct SileroWeights {
  std::string version;            ///< "6.2.0"
  std::vector<float> stft_basis;  ///< (2 * kVadBins, kVadFilterTaps): real parts, then imaginary parts
  struct Convolution {
    std::vector<float> weight;  ///< (channels out, channels in, kVadTaps)
    std::vector<float> bias;
  };
  std::array<Convolution, kVadConvolutions> encoder;
  std::vector<float> input_weight;   ///< (4 * kVadHidden, kVadHidden), gates in the order i, f, g, o
  std::vector<float> hidden_weight;  ///< likewise
  std::vector<float> input_bias;
  std::vector<float> hidden_bias;
  std::vector<float> final_weight;  ///< (kVadHidden)
  std::vector<float> final_bias;    ///< (1)
};

/// A tensor that each file must have; shape is empty for a scalar.
struct SileroTensor {
  std::string name;
  std::vector<std::int64_t> shape;  ///< outermost first
};

/// All tensors in the order of the published file.
std::vector<SileroTensor> silero_tensors();

/// Errors: bad_format with what was found, what was expected and the byte offset; io. Reads to the end of the file and
/// allocates the size of the published architecture, whatever the file claims.
Result<SileroWeights> read_silero_model(std::unique_ptr<ByteSource> source);

}  // namespace speech
