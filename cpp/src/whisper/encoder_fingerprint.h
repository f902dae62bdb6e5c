// What tells the encoder of one model from that of another: a package of Core ML or OpenVINO names the one that it was
// made of. The same in Python: codegen/wspkit/models/encoders/source.py.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/reader.h"

namespace speech {

/// Sees each tensor of a model as it is loaded. A model and its quantised forms have one fingerprint.
class EncoderFingerprint {
 public:
  /// Whether a tensor counts: biases and norms of the encoder, which no quantiser touches.
  static bool counts(const TensorHeader& tensor);

  /// The next bytes of a tensor that counts.
  void add(const TensorHeader& tensor, std::span<const std::byte> data);

  /// SHA-256 of a line with the encoder's sizes, then, in the order of their names without "encoder.", of name, zero
  /// byte and values of every tensor that counts.
  std::string finish(const Hyperparameters& sizes) const;

 private:
  std::map<std::string, std::vector<std::byte>> tensors_;  // at most some 3 MB, of the largest model
};

}  // namespace speech
