// A GPU that is this machine: kernels run on the shim when a command buffer is waited for, in memory with red zones. It
// can be told to fail, as a phone's does when its app leaves the screen.
#pragma once

#include <memory>
#include <string>

#include "backend/metal/device.h"

namespace speech {

class HostGpu final : public GpuDevice {
 public:
  Result<std::shared_ptr<HostBuffer>> allocate(std::size_t bytes) override;
  Result<std::unique_ptr<GpuCommands>> begin() override;

  /// Command buffers that were committed, and dispatches in them.
  int n_committed = 0;
  int n_dispatches = 0;
  /// Command buffers from this number on are lost after half of their dispatches; negative: none.
  int lost_from = -1;
  /// Whether there is no command buffer to be had.
  bool refuses_to_begin = false;
  /// Allocations of more bytes fail.
  std::size_t largest_bytes = SIZE_MAX;
  /// Simdgroups run from the last to the first.
  bool backwards = false;
};

/// The GPU that back-ends of this program get.
HostGpu& host_gpu();

}  // namespace speech
