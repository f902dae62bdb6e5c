// Stands in for the deferred back-end in builds without test back-ends.

#include "backend/deferred/deferred_backend.h"

namespace speech {

bool deferred_backend_is_built() { return false; }

Result<BackendFactory> deferred_backend_factory(BackendFactory /*inner*/) {
  return Status(Code::kUnsupported, "the deferred back-end is not built; configure with -DSPEECH_TEST_BACKENDS=ON");
}

}  // namespace speech
