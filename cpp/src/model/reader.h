// Reads ggml `.bin` Whisper models front to back; every count, size and offset is checked before it is used.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "audio/log_mel.h"
#include "base/status.h"
#include "model/byte_source.h"
#include "tensor/tensor.h"
#include "text/vocabulary.h"

namespace speech {

/// The eleven numbers at the head of the file.
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

/// One tensor's header. shape: outermost first (the file has them innermost first).
struct TensorHeader {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  std::uint64_t data_offset = 0;  ///< of its first byte in the file
};

/// Magic, header, filters and vocabulary are read by open(); then next() and read_data() in turn until next() is empty.
/// Errors: bad_format with what was found, what was expected and the byte offset ("not a ggml model: the file begins
/// with HTML"); unsupported for the K-quants and other ggml types that this version does not compute; io.
class ModelReader {
 public:
  static Result<ModelReader> open(std::unique_ptr<ByteSource> source);

  const Hyperparameters& hyperparameters() const { return hyperparameters_; }
  const MelFilters& filters() const { return filters_; }
  const Vocabulary& vocabulary() const { return *vocabulary_; }

  /// The next tensor's header, empty at the end of the file; at most 3 dimensions, sizes checked against int64 and the
  /// file's size.
  Result<std::optional<TensorHeader>> next();

  /// The next n bytes of the current tensor's data.
  Status read_data(void* out, std::size_t n);

 private:
  ModelReader() = default;
  Status read_bytes(void* out, std::size_t n, const char* what);

  std::unique_ptr<ByteSource> source_;
  std::uint64_t offset_ = 0;
  std::uint64_t data_left_ = 0;  // of the current tensor
  std::string tensor_name_;      // of the current tensor, for messages
  Hyperparameters hyperparameters_;
  MelFilters filters_;
  std::optional<Vocabulary> vocabulary_;
};

}  // namespace speech
