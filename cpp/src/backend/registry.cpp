// Chooses the kind of back-end by name; see registry.h.

#include "backend/registry.h"

#include <cstdlib>
#include <string>

#include "backend/cpu/cpu_backend.h"
#include "backend/deferred/deferred_backend.h"
#include "backend/metal/metal_backend.h"
#include "kernels/select.h"

namespace speech {

Result<BackendFactory> backend_factory(std::string_view name) {
  std::string_view wanted = name;
  const char* asked_by = "";
  if (wanted.empty()) {
    const char* environment = std::getenv("WSPKIT_BACKEND");
    if (environment != nullptr && *environment != '\0') {
      wanted = environment;
      asked_by = " (from the environment variable WSPKIT_BACKEND)";
    } else {
      wanted = "cpu";
    }
  }
  // Both compute with the CPU's kernels: a wrong choice of these is said before a model is looked at.
  if (wanted == "cpu") {
    SPEECH_RETURN_IF_ERROR(active_kernels().status());
    return BackendFactory(make_cpu_backend);
  }
  if (wanted == "deferred" && deferred_backend_is_built()) {
    SPEECH_RETURN_IF_ERROR(active_kernels().status());
    return deferred_backend_factory(make_cpu_backend);
  }
  if (wanted == "metal" && metal_is_built()) {
    return gpu_factory(0);
  }
  return Status(Code::kNotFound, "no back-end is called '" + std::string(wanted) + "'" + asked_by +
                                     "; this build has: cpu" + (deferred_backend_is_built() ? ", deferred" : "") +
                                     (metal_is_built() ? ", metal" : ""));
}

bool has_gpu_backend() { return metal_is_built(); }

Result<BackendFactory> gpu_factory(int device) { return open_metal(device); }

}  // namespace speech
