// Chooses the kind of back-end by name. The only place that lists them all.
#pragma once

#include <string_view>

#include "backend/backend.h"

namespace speech {

/// A factory of the back-ends called `name`: "cpu", "metal" where it is built in, or "deferred" where tests are. An
/// empty name asks the environment variable WSPKIT_BACKEND, then takes "cpu". not_found with the known names for any
/// other; unsupported if WSPKIT_KERNELS names kernels that cannot run here.
Result<BackendFactory> backend_factory(std::string_view name = {});

/// Whether a GPU's back-end is built in.
bool has_gpu_backend();

/// A factory of the back-ends of GPU number `device`; unsupported, saying why, where there is none that can compute.
Result<BackendFactory> gpu_factory(int device);

}  // namespace speech
