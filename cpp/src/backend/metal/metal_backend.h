// The Metal back-end: weights as rows in memory that host and GPU share.
#pragma once

#include <cstdint>
#include <memory>

#include "backend/backend.h"
#include "backend/metal/device.h"

namespace speech {

/// Whether a GPU's interface is built in.
bool metal_is_built();

/// Back-ends of GPU number `index`. The errors of open_gpu().
Result<BackendFactory> open_metal(int index);

/// Multiply-adds after which a command buffer is cut: some milliseconds of a phone, and more than a decode step of the
/// largest model.
inline constexpr std::uint64_t kMostWork = std::uint64_t{1} << 33U;

/// Back-ends of one GPU. Work that it loses is done by the CPU, on the same memory.
BackendFactory metal_backend_factory(std::shared_ptr<GpuDevice> device, std::uint64_t most_work = kMostWork);

}  // namespace speech
