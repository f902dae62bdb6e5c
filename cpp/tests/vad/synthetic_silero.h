// Writes complete Silero models with made-up weights into memory for tests. Header-only.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/half.h"
#include "vad/silero_model.h"

namespace speech::testing {

/// Where one tensor lies in the image.
struct SyntheticSileroTensor {
  std::string name;
  std::size_t header_offset = 0;
  std::size_t dims_offset = 0;
  std::size_t data_offset = 0;
  std::size_t data_bytes = 0;
};

struct SyntheticSilero {
  std::vector<std::byte> bytes;
  std::size_t tensors_offset = 0;
  std::vector<SyntheticSileroTensor> tensors;
};

/// Offset of the header's number `index`: 0 to 2 the version, then in the order of the file.
constexpr std::size_t silero_field_offset(std::size_t index) { return 4 + 4 + 10 + 4 * index; }

/// Values in [-1, 1), the same with every standard library.
class SileroNumbers {
 public:
  explicit SileroNumbers(std::uint64_t seed) : state_(seed) {}
  float unit() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(state_ >> 40U) * 0x1p-23F - 1.0F;
  }

 private:
  std::uint64_t state_;
};

/// The image of a complete model; the same arguments give the same bytes. Convolutions and filters are of half
/// precision, as published, or all tensors are float32. Weights keep activations near 1; `final_bias` pushes the
/// probabilities.
inline SyntheticSilero synthetic_silero(float final_bias = 0.0F, bool halves = true, std::uint64_t seed = 1) {
  SyntheticSilero model;
  const auto raw = [&model](const void* data, std::size_t n) {
    const auto* first = static_cast<const std::byte*>(data);
    model.bytes.insert(model.bytes.end(), first, first + n);
  };
  const auto i32 = [&raw](std::int64_t value) {
    const auto narrow = static_cast<std::int32_t>(value);
    raw(&narrow, sizeof narrow);
  };
  i32(0x67676D6C);
  i32(10);
  raw("silero-16k", 10);
  for (const int field : {6, 2, 0, kVadWindowSamples, kVadContextSamples, kVadConvolutions}) {
    i32(field);
  }
  for (const auto& [in, out] : kVadChannels) {
    i32(in);
    i32(out);
    i32(kVadTaps);
  }
  for (const int field : {kVadHidden, kVadHidden, kVadHidden, 1}) {
    i32(field);
  }
  model.tensors_offset = model.bytes.size();
  SileroNumbers numbers(seed);
  for (const SileroTensor& tensor : silero_tensors()) {
    const bool is_half = halves && (tensor.name.ends_with("weight") || tensor.name.ends_with("buffer"));
    SyntheticSileroTensor place{tensor.name, model.bytes.size(), 0, 0, 0};
    i32(static_cast<std::int64_t>(tensor.shape.size()));
    i32(static_cast<std::int64_t>(tensor.name.size()));
    i32(is_half ? 1 : 0);
    place.dims_offset = model.bytes.size();
    std::size_t n = 1;
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size) {
      i32(*size);
      n *= static_cast<std::size_t>(*size);
    }
    raw(tensor.name.data(), tensor.name.size());
    place.data_offset = model.bytes.size();
    const std::size_t inputs = tensor.shape.size() < 2 ? 100 : n / static_cast<std::size_t>(tensor.shape[0]);
    const float scale = std::sqrt(3.0F / static_cast<float>(inputs));
    for (std::size_t i = 0; i < n; ++i) {
      const float value = tensor.shape.empty() ? final_bias : scale * numbers.unit();
      if (is_half) {
        const std::uint16_t half = float_to_half(value);
        raw(&half, sizeof half);
      } else {
        raw(&value, sizeof value);
      }
    }
    place.data_bytes = model.bytes.size() - place.data_offset;
    model.tensors.push_back(place);
  }
  return model;
}

}  // namespace speech::testing
