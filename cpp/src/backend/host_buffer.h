// Buffers whose memory the host sees, and the way from a tensor to its address. Private to back-ends: a GPU that shares
// its memory has such buffers too, so that the CPU's operations run on what was made for it.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace speech {

/// Who derives it owns the memory and frees it.
class HostBuffer : public Buffer {
 public:
  HostBuffer(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  std::size_t bytes() const override { return bytes_; }
  std::byte* data() const { return data_; }

  /// The buffer holds one weight as panels (kernels/kernel_table.h) and not as rows.
  bool holds_panels() const { return holds_panels_; }
  void set_holds_panels() { holds_panels_ = true; }

 private:
  std::byte* data_;
  std::size_t bytes_;
  bool holds_panels_ = false;
};

/// Whether the weight is stored as panels.
bool is_packed(const Tensor& tensor);

/// Where the tensor begins; it must lie in a HostBuffer as a whole (checked: everything else is our own bug).
std::byte* host_bytes(const Tensor& tensor);

/// The same for a tensor of type T; null for an empty one.
template <typename T>
T* host_values(const Tensor& tensor) {
  return tensor ? reinterpret_cast<T*>(host_bytes(tensor)) : nullptr;
}

/// Reads a weight as rows from its file image into place, straight if it is a matrix; a convolution's (D, C, 3) becomes
/// (D, 3, C), so that the values that it multiplies lie in the order of its input rows.
Status load_rows(const Tensor& dst, const WeightSource& source);

}  // namespace speech
