// Stands in for the recorded encoder in builds without test back-ends.

#include "encoders/recorded/recorded_encoder.h"

namespace speech {

bool recorded_encoder_is_built() { return false; }

Result<std::unique_ptr<ExternalEncoder>> load_recorded_encoder(const EncoderFile& /*file*/) {
  return Status(Code::kUnsupported, "the recorded encoder is not built; configure with -DSPEECH_TEST_BACKENDS=ON");
}

}  // namespace speech
