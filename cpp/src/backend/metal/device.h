// A GPU that shares its memory with the host, as far as the Metal back-end needs one: Metal itself, or what stands for
// it in tests. Must not know operations.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "backend/host_buffer.h"
#include "backend/metal/kernel_grids.h"

namespace speech {

/// What a kernel's buffer at some index is: from a byte of a buffer on.
struct GpuBinding {
  const HostBuffer* buffer = nullptr;
  std::size_t offset_bytes = 0;
};

/// Work in the order in which it is recorded; each step sees what those before it wrote.
class GpuCommands {
 public:
  virtual ~GpuCommands() = default;

  /// A kernel of kernel_params.h: its buffers by index, behind them its constant. What is wrong with it is an error of
  /// wait().
  virtual void dispatch(const std::string& kernel, const KernelGrid& grid, std::span<const GpuBinding> buffers,
                        std::span<const std::byte> params) = 0;
  virtual void copy(const GpuBinding& from, const GpuBinding& to, std::size_t bytes) = 0;

  /// Starts it; nothing is recorded any more.
  virtual void commit() = 0;

  /// Until it is done. An error if the GPU did not do all of it: buffers that it writes hold anything then.
  virtual Status wait() = 0;
};

class GpuDevice {
 public:
  virtual ~GpuDevice() = default;

  /// Uninitialised memory of both sides, aligned to 64 bytes; out_of_memory if there is none.
  virtual Result<std::shared_ptr<HostBuffer>> allocate(std::size_t bytes) = 0;

  virtual Result<std::unique_ptr<GpuCommands>> begin() = 0;
};

/// Whether a GPU's interface is built in.
bool gpu_is_built();

/// GPU number `index` of the machine, its kernels compiled; the same object for every caller. Unsupported, saying why:
/// nothing built in, no such GPU, too old a one; internal if the kernels do not compile.
Result<std::shared_ptr<GpuDevice>> open_gpu(int index);

}  // namespace speech
