// Stands in for the whole back-end where no GPU's interface is built in; see metal_backend.h.
#include "backend/metal/metal_backend.h"

namespace speech {

bool metal_is_built() { return false; }

Result<BackendFactory> open_metal(int /*index*/) { return Status(Code::kUnsupported, "no GPU back-end is built in"); }

}  // namespace speech
