// An encoder for tests, which stands where Core ML and OpenVINO do: it gives what a file holds, window after window.
#pragma once

#include "encoders/external_encoder.h"

namespace speech {

/// Whether this build has it (CMake option SPEECH_TEST_BACKENDS).
bool recorded_encoder_is_built();

/// The file: a line "recorded <fingerprint, or -> <M> <D> <T>", then (T, D) float32 values of each window. It fails at
/// the window that the file does not hold. unsupported where it is not built; bad_format, io.
Result<std::unique_ptr<ExternalEncoder>> load_recorded_encoder(const EncoderFile& file);

}  // namespace speech
