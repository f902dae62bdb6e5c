// Chooses the kind of back-end by name. The only place that lists them all.
#pragma once

#include <string_view>

#include "backend/backend.h"

namespace speech {

/// A factory of the back-ends called `name`: "cpu", or "deferred" where tests are built. An empty name asks the
/// environment variable WSPKIT_BACKEND, then takes "cpu". not_found with the known names for any other;
/// unsupported if WSPKIT_KERNELS names kernels that cannot run here.
Result<BackendFactory> backend_factory(std::string_view name = {});

/// A factory of the back-ends of GPU number `device`; unsupported, saying why, where there is none that can compute.
Result<BackendFactory> gpu_factory(int device);

}  // namespace speech
