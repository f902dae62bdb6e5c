// Reads ggml `.bin` Whisper models front to back; every count, size and offset is checked before it is used.
// Knows the file, not what is computed with it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "audio/log_mel.h"
#include "base/status.h"
#include "model/byte_source.h"
#include "model/hyperparameters.h"
#include "tensor/tensor.h"
#include "text/vocabulary.h"

namespace speech {

/// One tensor's header. shape: outermost first (the file has them innermost first).
struct TensorHeader {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  std::uint64_t data_offset = 0;  ///< of its first byte in the file
};

/// Magic, header, filters and vocabulary are read by open(); then next() and read_data() in turn until next() is empty.
/// Errors: bad_format with what was found, what was expected and the byte offset ("not a ggml model but an HTML page");
/// unsupported for ggml types that this version does not compute; io. After an error the reader
/// is of no more use. What is allocated on the way is bounded by the ranges of hyperparameters.h and by what the source
/// has given; TensorChecklist (tensor_names.h) tells whether a tensor's size is the one that the header implies. For
/// one thread at a time.
class ModelReader {
 public:
  static Result<ModelReader> open(std::unique_ptr<ByteSource> source);

  const Hyperparameters& hyperparameters() const { return hyperparameters_; }
  const MelFilters& filters() const { return filters_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }

  /// The next tensor's header, empty at the end of the file; 1 to 3 dimensions, whole blocks, at most kMaxWeights
  /// values, its data inside the file where the file's size is known. Passes over what read_data() has left of the
  /// tensor before. A file without any tensor is an error.
  Result<std::optional<TensorHeader>> next();

  /// The next n bytes of the current tensor's data.
  Status read_data(void* out, std::size_t n);

 private:
  ModelReader() = default;
  Status read_bytes(void* out, std::size_t n, std::string_view what, std::string_view name = {});
  Status read_magic();
  Status read_hyperparameters();
  Status read_filters();
  Status read_vocabulary();
  Status check_tensors_fit() const;
  Status check_name(const std::string& name, std::uint64_t offset) const;
  Result<TensorHeader> read_tensor_header(const std::int32_t (&head)[3]);
  std::string behind() const;  // "behind tensor 'x'"

  std::unique_ptr<ByteSource> source_;
  std::uint64_t offset_ = 0;
  std::uint64_t data_left_ = 0;  // of the current tensor
  std::string tensor_name_;      // of the current tensor, empty before the first
  Hyperparameters hyperparameters_;
  MelFilters filters_;
  std::optional<Vocabulary> vocabulary_;
};

}  // namespace speech
