// Apple's Core ML as an encoder.
#pragma once

#include "encoders/external_encoder.h"

namespace speech {

/// Whether this build has it: on Apple's systems.
bool coreml_encoder_is_built();

/// Loads a compiled model (.mlmodelc), or a package (.mlpackage) after it was compiled on this device; what is compiled
/// stays in the cache folder until the package changes. It runs where the package's metadata says, or anywhere.
/// unsupported where it is not built; bad_format for what Core ML does not take, in its words.
Result<std::unique_ptr<ExternalEncoder>> load_coreml_encoder(const EncoderFile& file);

}  // namespace speech
