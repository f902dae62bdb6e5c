// Names to back-ends and encoders.
#include "session/backend_choice.h"

#include <cstdlib>
#include <utility>

#include "backend/registry.h"
#include "encoders/registry.h"

namespace speech {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr std::string_view kMetal = "metal";

bool is_encoder(std::string_view name) {
  const EncoderKind* kind = encoder_kind(name);
  // Public kinds are understood by every build; the one for tests is none of a build without it.
  return kind != nullptr && (kind->is_built || name != "recorded");
}

// The GPU where it is wanted and there, the CPU otherwise.
Status choose_device(bool wants_gpu, const std::string& why_not, int gpu_device, BackendChoice& choice) {
  if (wants_gpu) {
    Result<BackendFactory> gpu = gpu_factory(gpu_device);
    if (gpu) {
      choice.factory = std::move(gpu).value();
      choice.is_gpu = true;
      choice.why = "it is there";
      return Status::ok();
    }
    choice.why = gpu.status().message();
  } else {
    choice.why = why_not;
  }
  SPEECH_ASSIGN_OR_RETURN(choice.factory, backend_factory("cpu"));
  return Status::ok();
}

}  // namespace

Result<BackendChoice> choose_backend(std::string_view name, bool use_gpu, int gpu_device) {
  const char* environment = name == kAuto ? std::getenv("WSPKIT_BACKEND") : nullptr;
  const bool is_asked_by_environment = environment != nullptr && *environment != '\0';
  if (is_asked_by_environment) {
    name = environment;
  }
  const std::string asked_by =
      is_asked_by_environment ? "the environment variable WSPKIT_BACKEND names it" : "it was asked for";
  BackendChoice choice;
  if (name == kAuto || is_encoder(name)) {
    SPEECH_RETURN_IF_ERROR(choose_device(use_gpu, "use_gpu is false", gpu_device, choice));
    choice.encoder.kind = name;
    return choice;
  }
  if (name == "cpu" || name == kMetal) {
    choice.encoder.kind = "own";
    choice.encoder.why = "the back-end " + std::string(name) + " was asked for";
  }
  if (name == kMetal) {
    SPEECH_RETURN_IF_ERROR(choose_device(true, {}, gpu_device, choice));
    return choice;
  }
  SPEECH_ASSIGN_OR_RETURN(choice.factory, backend_factory(is_asked_by_environment ? std::string_view() : name));
  choice.why = asked_by;
  return choice;
}

}  // namespace speech
