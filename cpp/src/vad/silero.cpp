// The layers: a short-time Fourier transform by stored filters, four convolutions, an LSTM and a last layer, all of
// them products of a packed matrix with a few rows of floats.
#include "vad/silero.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

namespace speech {
namespace {

constexpr int kHop = 128;                                                    // samples between two columns
constexpr int kPaddedSamples = kVadContextSamples + kVadWindowSamples + 64;  // 64: mirrored samples at the end
constexpr int kFrames = (kPaddedSamples - kVadFilterTaps) / kHop + 1;        // columns of a window: 4
static_assert(kFrames == 4);

/// Four floats in a register, as x86-64 and NEON both have them: spelt out, since compilers differ in what they make of
/// the same loops without.
constexpr int kLanes = 4;
using Vector [[gnu::vector_size(kLanes * sizeof(float))]] = float;

Vector load(const float* values) {
  Vector vector;
  std::memcpy(&vector, values, sizeof vector);
  return vector;
}

/// A matrix (outputs, inputs) whose rows are interleaved in blocks of kBlock outputs, so that a block's weights of one
/// input lie side by side; the last block is filled with zeros. kRows x kBlock sums stay in registers: 8 vectors of 4
/// of the 16 that x86-64 has.
template <int kRows, int kBlock>
class Product {
 public:
  /// weight(output, input)
  template <typename Weight>
  Product(int n_inputs, int n_outputs, std::span<const float> bias, Weight weight)
      : n_inputs_(n_inputs), n_blocks_((n_outputs + kBlock - 1) / kBlock) {
    bias_.assign(static_cast<std::size_t>(n_blocks_) * kBlock, 0.0F);
    std::copy(bias.begin(), bias.end(), bias_.begin());
    packed_.assign(bias_.size() * static_cast<std::size_t>(n_inputs), 0.0F);
    for (int output = 0; output < n_outputs; ++output) {
      for (int input = 0; input < n_inputs; ++input) {
        const int index = (output / kBlock * n_inputs + input) * kBlock + output % kBlock;
        packed_[static_cast<std::size_t>(index)] = weight(output, input);
      }
    }
  }

  /// Row r: inputs from in + r * in_stride, outputs (padded to whole blocks) from out + r * out_stride.
  void apply(const float* in, int in_stride, float* out, int out_stride) const {
    constexpr int kVectors = kBlock / kLanes;
    for (int block = 0; block < n_blocks_; ++block) {
      Vector sums[kRows][kVectors];
      for (int row = 0; row < kRows; ++row) {
        for (int i = 0; i < kVectors; ++i) {
          sums[row][i] = load(bias_.data() + block * kBlock + i * kLanes);
        }
      }
      const float* weights = packed_.data() + static_cast<std::ptrdiff_t>(block) * n_inputs_ * kBlock;
      for (int input = 0; input < n_inputs_; ++input, weights += kBlock) {
        for (int i = 0; i < kVectors; ++i) {
          const Vector weight = load(weights + i * kLanes);
          for (int row = 0; row < kRows; ++row) {
            sums[row][i] += weight * in[row * in_stride + input];
          }
        }
      }
      for (int row = 0; row < kRows; ++row) {
        for (int i = 0; i < kVectors; ++i) {
          std::memcpy(out + row * out_stride + block * kBlock + i * kLanes, &sums[row][i], sizeof(Vector));
        }
      }
    }
  }

 private:
  int n_inputs_;
  int n_blocks_;
  std::vector<float> bias_;
  std::vector<float> packed_;
};

/// Convolution over kVadTaps neighbouring columns as a product: a column's channels lie side by side, and so do
/// columns. first_tap, n_taps: those that can meet a column that is not padding.
template <int kRows, int kBlock>
Product<kRows, kBlock> convolution(const SileroWeights& weights, std::size_t index, int first_tap, int n_taps) {
  const int in = kVadChannels[index].in;
  const int out = kVadChannels[index].out;
  const std::vector<float>& weight = weights.encoder[index].weight;
  return Product<kRows, kBlock>(in * n_taps, out, weights.encoder[index].bias,
                                [&weight, first_tap, in](int output, int input) {
                                  const int tap = first_tap + input / in;
                                  const int at = (output * in + input % in) * kVadTaps + tap;
                                  return weight[static_cast<std::size_t>(at)];
                                });
}

void relu(std::span<float> values) {
  for (float& value : values) {
    value = value > 0.0F ? value : 0.0F;
  }
}

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

std::vector<float> sum(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> result(a);
  std::transform(result.begin(), result.end(), b.begin(), result.begin(), std::plus<>());
  return result;
}

}  // namespace

struct SileroVad::Network {
  explicit Network(const SileroWeights& weights)
      : stft(kVadFilterTaps, 2 * kVadBins, {},
             [&weights](int output, int input) {
               return weights.stft_basis[static_cast<std::size_t>(output * kVadFilterTaps + input)];
             }),
        // A window is 4, 4, 2, 1 columns wide: at those widths the outer taps of the last two see padding only.
        convolution0(convolution<4, 8>(weights, 0, 0, 3)),
        convolution1(convolution<2, 16>(weights, 1, 0, 3)),
        convolution2(convolution<1, 32>(weights, 2, 1, 2)),
        convolution3(convolution<1, 32>(weights, 3, 1, 1)),
        gates(2 * kVadHidden, 4 * kVadHidden, sum(weights.input_bias, weights.hidden_bias),
              [&weights](int output, int input) {
                const std::vector<float>& from = input < kVadHidden ? weights.input_weight : weights.hidden_weight;
                return from[static_cast<std::size_t>(output * kVadHidden + input % kVadHidden)];
              }),
        final_bias(weights.final_bias[0]) {
    std::copy(weights.final_weight.begin(), weights.final_weight.end(), final_weight.begin());
  }

  Product<4, 8> stft;
  Product<4, 8> convolution0;
  Product<2, 16> convolution1;
  Product<1, 32> convolution2;
  Product<1, 32> convolution3;
  Product<1, 32> gates;  ///< of the LSTM, over its input and its last output side by side
  std::array<float, kVadHidden> final_weight;
  float final_bias;
};

struct SileroVad::Stream {
  static constexpr int kSpectrumStride = (2 * kVadBins + 7) / 8 * 8;

  // What a window leaves for the next one.
  std::array<float, kVadContextSamples> context{};
  std::array<float, kVadHidden> cell{};
  /// The last convolution's output, then the LSTM's last output.
  std::array<float, 2 * kVadHidden> lstm_input{};

  // Scratch. A column of zeros stands before, and where one is read also behind, the columns of a convolution's input.
  std::array<float, kPaddedSamples> samples{};
  std::array<float, kFrames * kSpectrumStride> spectrum{};
  std::array<float, (kFrames + 2) * kVadBins> magnitudes{};
  std::array<float, (1 + 4) * 128> columns0{};
  std::array<float, 2 * 64> columns1{};
  std::array<float, 64> columns2{};
  std::array<float, 4 * kVadHidden> gates{};
};

SileroVad::SileroVad(const SileroWeights& weights)
    : network_(std::make_unique<const Network>(weights)), stream_(std::make_unique<Stream>()) {}
SileroVad::SileroVad(SileroVad&&) noexcept = default;
SileroVad& SileroVad::operator=(SileroVad&&) noexcept = default;
SileroVad::~SileroVad() = default;

Result<SileroVad> SileroVad::load(std::unique_ptr<ByteSource> source) {
  SPEECH_ASSIGN_OR_RETURN(const SileroWeights weights, read_silero_model(std::move(source)));
  return SileroVad(weights);
}

void SileroVad::reset() {
  stream_->context.fill(0.0F);
  stream_->cell.fill(0.0F);
  stream_->lstm_input.fill(0.0F);
}

float SileroVad::next(std::span<const float, kVadWindowSamples> window) {
  Stream& s = *stream_;

  // The end of the window before, the window, and its last samples mirrored without the very last.
  std::copy(s.context.begin(), s.context.end(), s.samples.begin());
  std::copy(window.begin(), window.end(), s.samples.begin() + kVadContextSamples);
  constexpr int kEnd = kVadContextSamples + kVadWindowSamples;
  for (int i = kEnd; i < kPaddedSamples; ++i) {
    s.samples[static_cast<std::size_t>(i)] = s.samples[static_cast<std::size_t>(2 * (kEnd - 1) - i)];
  }
  std::copy(window.end() - kVadContextSamples, window.end(), s.context.begin());

  network_->stft.apply(s.samples.data(), kHop, s.spectrum.data(), Stream::kSpectrumStride);
  for (int frame = 0; frame < kFrames; ++frame) {
    const float* real = s.spectrum.data() + frame * Stream::kSpectrumStride;
    const float* imaginary = real + kVadBins;
    float* out = s.magnitudes.data() + (1 + frame) * kVadBins;
    for (int bin = 0; bin < kVadBins; ++bin) {
      out[bin] = std::sqrt(real[bin] * real[bin] + imaginary[bin] * imaginary[bin]);
    }
  }

  // Strides 1, 2, 2, 1; the zero column is column -1.
  network_->convolution0.apply(s.magnitudes.data(), kVadBins, s.columns0.data() + 128, 128);
  relu(std::span(s.columns0).subspan(128));
  network_->convolution1.apply(s.columns0.data(), 2 * 128, s.columns1.data(), 64);
  relu(s.columns1);
  network_->convolution2.apply(s.columns1.data(), 0, s.columns2.data(), 0);
  relu(s.columns2);
  network_->convolution3.apply(s.columns2.data(), 0, s.lstm_input.data(), 0);
  relu(std::span(s.lstm_input).first(kVadHidden));

  network_->gates.apply(s.lstm_input.data(), 0, s.gates.data(), 0);
  const float* gates = s.gates.data();
  float* hidden = s.lstm_input.data() + kVadHidden;
  float logit = network_->final_bias;
  for (std::size_t i = 0; i < kVadHidden; ++i) {
    const float input = sigmoid(gates[i]);
    const float forget = sigmoid(gates[kVadHidden + i]);
    const float candidate = std::tanh(gates[2 * kVadHidden + i]);
    const float output = sigmoid(gates[3 * kVadHidden + i]);
    s.cell[i] = forget * s.cell[i] + input * candidate;
    hidden[i] = output * std::tanh(s.cell[i]);
    logit += network_->final_weight[i] * std::max(hidden[i], 0.0F);
  }
  const float probability = sigmoid(logit);
  // A NaN in the stream would stay there for good.
  bool is_sound = std::isfinite(probability);
  for (std::size_t i = 0; i < kVadHidden; ++i) {
    is_sound = is_sound && std::isfinite(hidden[i]) && std::isfinite(s.cell[i]);
  }
  if (!is_sound) {
    reset();
    return 0.0F;
  }
  return probability;
}

void SileroVad::run(std::span<const float> pcm, std::span<float> out) {
  for (float& probability : out.first(windows_in(pcm.size()))) {
    if (pcm.size() >= kVadWindowSamples) {
      probability = next(pcm.first<kVadWindowSamples>());
      pcm = pcm.subspan(kVadWindowSamples);
    } else {
      std::array<float, kVadWindowSamples> padded{};
      std::copy(pcm.begin(), pcm.end(), padded.begin());
      probability = next(padded);
    }
  }
}

}  // namespace speech
