// Which tensors a Whisper model of given sizes must hold: names, shapes, and whether they may be quantised.
#pragma once

#include <string>
#include <vector>

#include "model/reader.h"

namespace speech {

struct ExpectedTensor {
  std::string name;
  Shape shape;
  /// True for the large matrices, which may have any type; others are F32 (biases, norms, positions) or F16/F32 (convolutions).
  bool may_be_quantized = false;
  bool may_be_f16 = false;
};

/// All tensors, in the order of the original converter. 4 + ... : 167 for tiny, 245 for base.
std::vector<ExpectedTensor> expected_tensors(const Hyperparameters& hyperparameters);

}  // namespace speech
