// Which tensors a Whisper model of given sizes must hold: names, shapes, types. Knows nothing of how they are stored or
// used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "model/reader.h"
#include "tensor/tensor.h"

namespace speech {

struct ExpectedTensor {
  std::string name;
  /// Outermost first. Biases are (n): the files hold those of the convolutions as (n, 1), which is the same memory.
  Shape shape;
  /// True for the large matrices, which have the type that the file's ftype names; the others are F32 (biases, norms,
  /// positions) or F16/F32 (convolutions).
  bool may_be_quantized = false;
  bool may_be_f16 = false;
};

/// All tensors, encoder first, in the order in which the model's definition lists them: 11 + 15 a layer of the encoder
/// + 24 a layer of the decoder, so 167 for tiny and 245 for base.
std::vector<ExpectedTensor> expected_tensors(const Hyperparameters& hyperparameters);

/// Weights in all tensors together. hyperparameters must be in the ranges that ModelReader accepts.
std::uint64_t total_weights(const Hyperparameters& hyperparameters);

/// Bytes that the data of all tensors takes at least, whatever their types.
std::uint64_t minimum_tensor_bytes(const Hyperparameters& hyperparameters);

/// Ticks off the tensors of one file as they come. For one thread.
class TensorChecklist {
 public:
  explicit TensorChecklist(const Hyperparameters& hyperparameters);

  /// Ticks off the tensor and gives what is expected of it; the pointer lives as long as the list. bad_format, with
  /// what was found and what was expected, for a name that the model has not, that came before, or whose shape or type
  /// is wrong.
  Result<const ExpectedTensor*> accept(const TensorHeader& tensor);

  /// bad_format, naming the first of them, if tensors are missing.
  Status all_present() const;

  /// In the order of expected_tensors().
  const std::vector<ExpectedTensor>& tensors() const { return tensors_; }

 private:
  Status check_type(const ExpectedTensor& expected, const TensorHeader& tensor) const;

  DType matrix_type_;  // that ftype names
  std::vector<ExpectedTensor> tensors_;
  std::vector<bool> seen_;
  std::unordered_map<std::string, std::size_t> index_by_name_;
};

}  // namespace speech
