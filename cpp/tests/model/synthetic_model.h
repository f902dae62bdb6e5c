// Writes complete small Whisper models into memory for tests: real special tokens, made-up words and weights.
// Header-only.
//
//   SyntheticSpec spec;                        // English-only, 64 wide, one layer each, F16
//   spec.matrix_type = DType::kQ5_0;
//   const SyntheticModel& model = synthetic_model(spec);
//   ModelReader::open(memory_source(model.bytes));
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "audio/log_mel.h"
#include "base/half.h"
#include "model/file_type.h"
#include "model/reader.h"
#include "model/synthetic_blocks.h"
#include "model/tensor_names.h"
#include "tensor/dtype.h"

namespace speech::testing {

struct SyntheticSpec {
  std::int32_t n_vocab = 51864;  ///< 51864 English-only, 51865 multilingual, 51866 large-v3
  std::int32_t n_audio_ctx = 50;
  std::int32_t n_audio_layer = 1;
  std::int32_t n_text_ctx = 64;
  std::int32_t n_text_layer = 1;
  std::int32_t width = 64;  ///< of both halves; quantised types need a multiple of 32, K-quants of 256
  std::int32_t heads = 2;
  std::int32_t n_mels = 80;
  DType matrix_type = DType::kF16;
  std::uint64_t seed = 1;

  bool operator==(const SyntheticSpec&) const = default;
};

/// Where one tensor lies in the image.
struct SyntheticTensor {
  std::string name;
  DType dtype = DType::kF32;
  std::size_t header_offset = 0;
  std::size_t data_offset = 0;
  std::size_t data_bytes = 0;
};

/// A file image, with the places of its parts.
struct SyntheticModel {
  std::vector<std::byte> bytes;
  Hyperparameters hyperparameters;
  std::size_t filters_offset = 0;     ///< of the band count
  std::size_t vocabulary_offset = 0;  ///< of the word count
  std::size_t tensors_offset = 0;
  std::vector<SyntheticTensor> tensors;
  std::vector<std::string> words;
};

/// Offset of hyperparameter `index` (in the order of Hyperparameters) in every model file.
constexpr std::size_t header_field_offset(std::size_t index) { return 4 + 4 * index; }

inline void put_i32(std::vector<std::byte>& bytes, std::size_t offset, std::int32_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// SplitMix64: the same numbers with every standard library.
class SyntheticNumbers {
 public:
  explicit SyntheticNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  /// Uniform in [-1, 1).
  float unit() { return static_cast<float>(next() >> 40U) * 0x1p-23F - 1.0F; }

 private:
  std::uint64_t state_;
};

/// Words of a byte-pair vocabulary: the 256 bytes, letter pairs with and without a space before them, then joins of two
/// earlier words, so that every word is reached by merges. The last word of a multilingual vocabulary is empty, as
/// published.
inline std::vector<std::string> synthetic_words(std::int32_t n_vocab, std::uint64_t seed) {
  const std::size_t n_words = n_vocab >= 51865 ? 50257 : 50256;
  const std::size_t n_merged = n_vocab >= 51865 ? n_words - 1 : n_words;
  std::vector<std::string> words;
  words.reserve(n_words);
  for (int byte = 0; byte < 256; ++byte) {
    words.emplace_back(1, static_cast<char>(byte));
  }
  std::set<std::string> known(words.begin(), words.end());
  const auto add = [&](const std::string& word) {
    if (words.size() < n_merged && known.insert(word).second) {
      words.push_back(word);
    }
  };
  for (char a = 'a'; a <= 'z'; ++a) {
    add(std::string(" ") + a);
    for (char b = 'a'; b <= 'z'; ++b) {
      add(std::string() + a + b);
    }
  }
  SyntheticNumbers numbers(seed);
  const std::size_t first_pair = 256;
  while (words.size() < n_merged) {
    const std::string& left = words[first_pair + numbers.below(words.size() - first_pair)];
    const std::string& right = words[first_pair + numbers.below(words.size() - first_pair)];
    if (right.front() != ' ' && left.size() + right.size() <= 12) {
      add(left + right);
    }
  }
  words.resize(n_words);
  return words;
}

/// Triangular filters with centres spread evenly: the right form, not the published values.
inline MelFilters synthetic_filters(int n_mels) {
  MelFilters filters{n_mels, std::vector<float>(static_cast<std::size_t>(n_mels) * kFftBins)};
  const float spacing = static_cast<float>(kFftBins) / static_cast<float>(n_mels + 1);
  for (int mel = 0; mel < n_mels; ++mel) {
    for (int bin = 0; bin < kFftBins; ++bin) {
      const float distance = std::fabs(static_cast<float>(bin) - spacing * static_cast<float>(mel + 1)) / spacing;
      filters.weights[static_cast<std::size_t>(mel) * kFftBins + static_cast<std::size_t>(bin)] =
          distance < 1.0F ? (1.0F - distance) / spacing : 0.0F;
    }
  }
  return filters;
}

/// Values that keep activations near 1: matrices and convolutions uniform with variance 1 / (inputs), norms near 1, the
/// rest small.
inline std::vector<float> synthetic_weights(const ExpectedTensor& tensor, SyntheticNumbers& numbers) {
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  const bool is_norm_scale = tensor.name.find("ln") != std::string::npos && tensor.name.ends_with(".weight");
  const std::int64_t inputs = tensor.shape.rank() < 2 ? 1 : tensor.shape.elements() / tensor.shape[0];
  const float scale = tensor.shape.rank() < 2 ? 0.05F : std::sqrt(3.0F / static_cast<float>(inputs));
  for (float& value : values) {
    value = (is_norm_scale ? 1.0F : 0.0F) + scale * numbers.unit();
  }
  return values;
}

/// Appends the parts of a file image.
class SyntheticWriter {
 public:
  explicit SyntheticWriter(std::vector<std::byte>& bytes) : bytes_(bytes) {}
  std::size_t offset() const { return bytes_.size(); }
  void raw(const void* data, std::size_t n) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + n);
  }
  void text(std::string_view text) { raw(text.data(), text.size()); }
  void i32(std::int64_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    raw(&narrow, sizeof narrow);
  }

 private:
  std::vector<std::byte>& bytes_;
};

inline std::int32_t ggml_type_number(DType dtype) {
  for (std::int32_t id = 0; id < 32; ++id) {
    if (dtype_from_ggml(id) == dtype) {
      return id;
    }
  }
  return -1;
}

inline Hyperparameters synthetic_hyperparameters(const SyntheticSpec& spec) {
  Hyperparameters h;
  h.n_vocab = spec.n_vocab;
  h.n_audio_ctx = spec.n_audio_ctx;
  h.n_audio_state = h.n_text_state = spec.width;
  h.n_audio_head = h.n_text_head = spec.heads;
  h.n_audio_layer = spec.n_audio_layer;
  h.n_text_ctx = spec.n_text_ctx;
  h.n_text_layer = spec.n_text_layer;
  h.n_mels = spec.n_mels;
  h.ftype = file_type_number(spec.matrix_type).value_or(1);
  h.quantization_version = is_quantized(spec.matrix_type) ? kQuantizationVersion : 0;
  return h;
}

inline SyntheticTensor write_synthetic_tensor(SyntheticWriter& writer, const ExpectedTensor& tensor, DType dtype,
                                              std::span<const float> values) {
  SyntheticTensor out{tensor.name, dtype, writer.offset(), 0, 0};
  const bool is_convolution_bias = tensor.name.find("conv") != std::string::npos && tensor.shape.rank() == 1;
  const int rank = is_convolution_bias ? 2 : tensor.shape.rank();
  writer.i32(rank);
  writer.i32(static_cast<std::int64_t>(tensor.name.size()));
  writer.i32(ggml_type_number(dtype));
  if (is_convolution_bias) {
    writer.i32(1);  // (n, 1), as the original converter writes them
  }
  for (int i = tensor.shape.rank() - 1; i >= 0; --i) {
    writer.i32(tensor.shape[i]);
  }
  writer.text(tensor.name);
  out.data_offset = writer.offset();
  const std::vector<std::byte> data = encode_values(dtype, values);
  out.data_bytes = data.size();
  writer.raw(data.data(), data.size());
  return out;
}

inline SyntheticModel write_synthetic_model(const SyntheticSpec& spec) {
  SyntheticModel model;
  SyntheticWriter writer(model.bytes);
  const Hyperparameters& h = model.hyperparameters = synthetic_hyperparameters(spec);

  writer.i32(0x67676D6C);
  for (const std::int32_t field :
       {h.n_vocab, h.n_audio_ctx, h.n_audio_state, h.n_audio_head, h.n_audio_layer, h.n_text_ctx, h.n_text_state,
        h.n_text_head, h.n_text_layer, h.n_mels, h.ftype + kQuantizationFactor * h.quantization_version}) {
    writer.i32(field);
  }

  model.filters_offset = writer.offset();
  const MelFilters filters = synthetic_filters(spec.n_mels);
  writer.i32(filters.n_mels);
  writer.i32(kFftBins);
  writer.raw(filters.weights.data(), filters.weights.size() * sizeof(float));

  model.vocabulary_offset = writer.offset();
  model.words = synthetic_words(spec.n_vocab, spec.seed);
  writer.i32(static_cast<std::int64_t>(model.words.size()));
  for (const std::string& word : model.words) {
    writer.i32(static_cast<std::int64_t>(word.size()));
    writer.text(word);
  }

  model.tensors_offset = writer.offset();
  SyntheticNumbers numbers(spec.seed);
  for (const ExpectedTensor& tensor : expected_tensors(h)) {
    DType dtype = DType::kF32;
    if (tensor.may_be_quantized) {
      dtype = spec.matrix_type;
    } else if (tensor.may_be_f16 && spec.matrix_type != DType::kF32) {
      dtype = DType::kF16;
    }
    model.tensors.push_back(write_synthetic_tensor(writer, tensor, dtype, synthetic_weights(tensor, numbers)));
  }
  return model;
}

/// The image of a complete model. The same spec gives the same bytes. Written once a process: the words and the weights
/// of one take longer to make than most tests to run.
inline const SyntheticModel& synthetic_model(const SyntheticSpec& spec) {
  static std::mutex mutex;
  static std::list<std::pair<SyntheticSpec, SyntheticModel>> made;
  const std::scoped_lock lock(mutex);
  for (const auto& [known, model] : made) {
    if (known == spec) {
      return model;
    }
  }
  return made.emplace_back(spec, write_synthetic_model(spec)).second;
}

}  // namespace speech::testing
