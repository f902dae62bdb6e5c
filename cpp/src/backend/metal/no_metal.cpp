// Stands in where no GPU's interface is built in; see device.h.
#include "backend/metal/device.h"

namespace speech {

bool gpu_is_built() { return false; }

Result<std::shared_ptr<GpuDevice>> open_gpu(int /*index*/) {
  return Status(Code::kUnsupported, "no GPU back-end is built in");
}

}  // namespace speech
