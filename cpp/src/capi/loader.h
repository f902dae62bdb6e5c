// The caller's read callbacks as a source of bytes, closed once however loading ends.
#pragma once

#include <cstddef>
#include <memory>

#include "model/byte_source.h"
#include "whisper.h"

namespace speech::capi {

/// Calls the loader's close, if it has one, at the end of its own life: out of memory is an exception inside the C
/// functions.
class CloseAtEnd {
 public:
  explicit CloseAtEnd(const whisper_model_loader& loader) : loader_(loader) {}
  CloseAtEnd(const CloseAtEnd&) = delete;
  CloseAtEnd& operator=(const CloseAtEnd&) = delete;
  ~CloseAtEnd() {
    if (loader_.close != nullptr) {
      loader_.close(loader_.context);
    }
  }

 private:
  const whisper_model_loader& loader_;
};

/// loader->read must not be null; the loader must outlive the source.
inline std::unique_ptr<ByteSource> loader_source(const whisper_model_loader* loader) {
  return callback_source([loader](void* out, std::size_t n) { return loader->read(loader->context, out, n); });
}

}  // namespace speech::capi
