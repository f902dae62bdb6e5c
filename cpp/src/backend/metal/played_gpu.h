// A GPU that a test plays, where test back-ends are built in place of Metal.
#pragma once

#include <functional>
#include <memory>

#include "backend/metal/device.h"

namespace speech {

/// What open_gpu() calls from now on; empty: nothing is built in.
void set_played_gpu(std::function<Result<std::shared_ptr<GpuDevice>>(int index)> open);

}  // namespace speech
