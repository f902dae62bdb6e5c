// Implements model_source.h.
#include "model_source.h"

#include <algorithm>
#include <cstring>

namespace speech::js {

whisper_model_loader BytesReader::loader() {
  return {
      this,
      [](void* self, void* output, std::size_t size) { return static_cast<BytesReader*>(self)->read(output, size); },
      [](void* self) { return static_cast<BytesReader*>(self)->left_ == 0; }, [](void*) {}};
}

std::size_t BytesReader::read(void* output, std::size_t wanted) {
  const std::size_t given = std::min(wanted, left_);
  if (given > 0) std::memcpy(output, data_, given);
  data_ += given;
  left_ -= given;
  return given;
}

}  // namespace speech::js
