// OpenVINO as an encoder.
#pragma once

#include "encoders/external_encoder.h"

namespace speech {

/// Whether this build has it (CMake option SPEECH_OPENVINO).
bool openvino_encoder_is_built();

/// Compiles a model (.xml, with its weights beside it in .bin) for a device; what is compiled stays in the cache
/// folder, if one is given. unsupported where it is not built; bad_format for what OpenVINO does not take, in its
/// words.
Result<std::unique_ptr<ExternalEncoder>> load_openvino_encoder(const EncoderFile& file);

}  // namespace speech
