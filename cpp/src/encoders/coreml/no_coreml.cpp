// Stands in for Core ML on systems that have none.

#include "encoders/coreml/coreml_encoder.h"

namespace speech {

bool coreml_encoder_is_built() { return false; }

Result<std::unique_ptr<ExternalEncoder>> load_coreml_encoder(const EncoderFile& /*file*/) {
  return Status(Code::kUnsupported, "Core ML is not built in; it is Apple's");
}

}  // namespace speech
