// Host memory as a Buffer, and the way from a tensor to its address. Private to the CPU back-end.
#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace speech {

class CpuBuffer final : public Buffer {
 public:
  /// 64-byte aligned, uninitialised; out_of_memory if there is none.
  static Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes);

  CpuBuffer(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  CpuBuffer(const CpuBuffer&) = delete;
  CpuBuffer& operator=(const CpuBuffer&) = delete;
  ~CpuBuffer() override;

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

/// Where the tensor begins; it must lie in a CpuBuffer as a whole (checked: everything else is our own bug).
std::byte* host_bytes(const Tensor& tensor);

/// The same for a tensor of type T; null for an empty one.
template <typename T>
T* host_values(const Tensor& tensor) {
  return tensor ? reinterpret_cast<T*>(host_bytes(tensor)) : nullptr;
}

}  // namespace speech
