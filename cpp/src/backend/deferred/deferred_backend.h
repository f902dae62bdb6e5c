// A back-end for tests that does nothing until wait(): it finds whoever reads a result, or reuses memory, too early.
#pragma once

#include "backend/backend.h"

namespace speech {

/// Whether this build has it (CMake option SPEECH_TEST_BACKENDS).
bool deferred_backend_is_built();

/// Back-ends that record every operation, with copies of uploads, and run them all on one of `inner` at wait();
/// submit() does nothing. unsupported where it is not built.
Result<BackendFactory> deferred_backend_factory(BackendFactory inner);

}  // namespace speech
