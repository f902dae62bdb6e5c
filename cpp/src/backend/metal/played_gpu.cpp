// Opens the GPU of a test; see played_gpu.h.
#include "backend/metal/played_gpu.h"

#include <utility>

namespace speech {
namespace {

std::function<Result<std::shared_ptr<GpuDevice>>(int)>& opener() {
  static std::function<Result<std::shared_ptr<GpuDevice>>(int)> instance;
  return instance;
}

}  // namespace

void set_played_gpu(std::function<Result<std::shared_ptr<GpuDevice>>(int index)> open) { opener() = std::move(open); }

bool gpu_is_built() { return static_cast<bool>(opener()); }

Result<std::shared_ptr<GpuDevice>> open_gpu(int index) {
  return opener() ? opener()(index)
                  : Result<std::shared_ptr<GpuDevice>>(Status(Code::kUnsupported, "no GPU back-end is built in"));
}

}  // namespace speech
