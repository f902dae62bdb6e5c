// Chooses what computes a context by one name: the back-end of its streams and what encodes.
#pragma once

#include <string>
#include <string_view>

#include "backend/backend.h"
#include "session/encoder_choice.h"

namespace speech {

struct BackendChoice {
  BackendFactory factory;
  bool is_gpu = false;
  std::string why;         ///< it is that one: "no GPU back-end is built in"
  EncoderRequest encoder;  ///< paths are the caller's to fill in
};

/// name: "auto", "cpu", "metal", "coreml" or "openvino", and "deferred" or "recorded" where tests are built. For "auto"
/// the environment variable WSPKIT_BACKEND is asked first. What this build or machine has not leaves the CPU and the
/// own encoder. not_found with the known names for any other; unsupported if WSPKIT_KERNELS names kernels that cannot
/// run here.
Result<BackendChoice> choose_backend(std::string_view name, bool use_gpu, int gpu_device);

}  // namespace speech
