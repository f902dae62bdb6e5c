// Bytes that a call took over from JavaScript: a copy, so that the caller's buffer may change or vanish.
#pragma once

#include <cstddef>
#include <memory>

namespace speech::js {

/// What the caller's buffer was a view of.
enum class ElementKind { kBuffer, kFloat32, kInt16, kOther };

/// size bytes at data, which is null for none.
struct Bytes {
  std::unique_ptr<std::byte[]> data;
  std::size_t size = 0;
  ElementKind kind = ElementKind::kBuffer;
};

}  // namespace speech::js
