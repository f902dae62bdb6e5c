// Stands in for OpenVINO in builds without it.

#include "encoders/openvino/openvino_encoder.h"

namespace speech {

bool openvino_encoder_is_built() { return false; }

Result<std::unique_ptr<ExternalEncoder>> load_openvino_encoder(const EncoderFile& /*file*/) {
  return Status(Code::kUnsupported, "OpenVINO is not built in; configure with -DSPEECH_OPENVINO=ON");
}

}  // namespace speech
