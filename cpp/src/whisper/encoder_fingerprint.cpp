// Collects the tensors, whose order in the file is free, and hashes them in one of their own.
#include "whisper/encoder_fingerprint.h"

#include <algorithm>
#include <string_view>

#include "base/sha256.h"

namespace speech {
namespace {

constexpr std::string_view kPrefix = "encoder.";

}  // namespace

bool EncoderFingerprint::counts(const TensorHeader& tensor) {
  int n_extents = 0;
  for (int i = 0; i < tensor.shape.rank(); ++i) {
    n_extents += tensor.shape[i] > 1 ? 1 : 0;
  }
  return n_extents <= 1 && tensor.dtype == DType::kF32 && tensor.name.starts_with(kPrefix);
}

void EncoderFingerprint::add(const TensorHeader& tensor, std::span<const std::byte> data) {
  std::vector<std::byte>& values = tensors_[tensor.name.substr(kPrefix.size())];
  values.insert(values.end(), data.begin(), data.end());
}

std::string EncoderFingerprint::finish(const Hyperparameters& sizes) const {
  Sha256 hash;
  const std::string line = std::to_string(sizes.n_mels) + " " + std::to_string(sizes.n_audio_ctx) + " " +
                           std::to_string(sizes.n_audio_state) + " " + std::to_string(sizes.n_audio_head) + " " +
                           std::to_string(sizes.n_audio_layer) + "\n";
  hash.add(std::as_bytes(std::span(line)));
  for (const auto& [name, values] : tensors_) {
    hash.add(std::as_bytes(std::span(name.c_str(), name.size() + 1)));
    hash.add(values);
  }
  return hash.finish();
}

}  // namespace speech
