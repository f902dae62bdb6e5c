// A model's bytes behind the callbacks by which the core loads one. It knows no JavaScript.
#pragma once

#include <cstddef>

#include "bytes.h"
#include "whisper.h"

namespace speech::js {

/// Reads bytes from the beginning. It, and the bytes, must outlive the load.
class BytesReader {
 public:
  explicit BytesReader(const Bytes& bytes) : data_(bytes.data.get()), left_(bytes.size) {}

  whisper_model_loader loader();

 private:
  std::size_t read(void* output, std::size_t wanted);

  const std::byte* data_;
  std::size_t left_;
};

}  // namespace speech::js
