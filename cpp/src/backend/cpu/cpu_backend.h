// The back-end that computes on the host's processors.
#pragma once

#include "backend/backend.h"

namespace speech {

/// Operations run at once when they are recorded, on one thread until set_n_threads() says more; submit() does nothing
/// and wait() returns at once. All scratch memory is allocated here and in set_n_threads(). Weights lie as in the file,
/// but for convolutions: (D, C, 3) becomes (D, 3, C). unsupported if WSPKIT_KERNELS names kernels that cannot run.
Result<std::unique_ptr<Backend>> make_cpu_backend();

}  // namespace speech
