// A back-end that computes nothing and owns no memory: what is built on it tells how much memory it would take.
#pragma once

#include "backend/backend.h"

namespace speech {

/// Weights have the sizes that `real` would give them; they are passed over, not read.
Result<std::unique_ptr<Backend>> make_measuring_backend(std::unique_ptr<Backend> real);

}  // namespace speech
