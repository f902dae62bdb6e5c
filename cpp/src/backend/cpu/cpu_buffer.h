// Memory of the process as a Buffer. Private to back-ends.
#pragma once

#include <cstddef>

#include "backend/host_buffer.h"

namespace speech {

class CpuBuffer final : public HostBuffer {
 public:
  /// 64-byte aligned, uninitialised; out_of_memory if there is none.
  static Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes);

  using HostBuffer::HostBuffer;
  CpuBuffer(const CpuBuffer&) = delete;
  CpuBuffer& operator=(const CpuBuffer&) = delete;
  ~CpuBuffer() override;
};

}  // namespace speech
