// Looks for an encoder's file, loads it, and holds what it says of itself against the model.
#include "session/encoder_choice.h"

#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "encoders/registry.h"

namespace speech {
namespace {

constexpr std::string_view kOwn = "own";
constexpr std::string_view kAuto = "auto";

struct Place {
  const EncoderKind* kind;
  std::string path;
};

std::shared_ptr<SharedEncoder> own(const std::string& why) { return std::make_shared<SharedEncoder>(why); }

bool exists(const std::string& path) { return File::open(path, false).is_ok(); }

// Where to look, the preferred places first; an error says why nowhere.
Result<std::vector<Place>> places(const EncoderRequest& request) {
  const EncoderKind* wanted = encoder_kind(request.kind);
  if (!request.file.path.empty()) {
    const EncoderKind* kind = encoder_kind_of_file(request.file.path);
    if (kind == nullptr || (wanted != nullptr && kind != wanted)) {
      return Status(Code::kUnsupported, "'" + request.file.path + "' is no encoder of " +
                                            (wanted != nullptr ? std::string(wanted->name) : "any known kind"));
    }
    wanted = kind;
  }
  if (wanted != nullptr && !wanted->is_built) {
    return Status(Code::kUnsupported, std::string(wanted->name) + " is not built in");
  }
  std::vector<Place> found;
  for (const EncoderKind& kind : encoder_kinds()) {
    if (!kind.is_built || (wanted != nullptr && &kind != wanted)) {
      continue;
    }
    if (!request.file.path.empty()) {
      found.push_back({&kind, request.file.path});
      continue;
    }
    for (std::string& path : encoder_paths(request.model_path, kind)) {
      found.push_back({&kind, std::move(path)});
    }
  }
  return found;
}

// What keeps a loaded encoder from being used.
Status check(const EncoderFacts& facts, const Weights& weights) {
  const Hyperparameters& sizes = weights.hyperparameters;
  if (facts.n_mels != sizes.n_mels || (facts.width != 0 && facts.width != sizes.n_audio_state)) {
    return {Code::kBadFormat, "it takes " + std::to_string(facts.n_mels) + " mel bins and gives " +
                                  std::to_string(facts.width) + " values a frame, the model has " +
                                  std::to_string(sizes.n_mels) + " and " + std::to_string(sizes.n_audio_state)};
  }
  if (!facts.fingerprint.empty() && facts.fingerprint != weights.encoder_fingerprint) {
    return {Code::kBadFormat, "it was made of another model"};
  }
  return Status::ok();
}

Result<std::unique_ptr<ExternalEncoder>> load(const Place& place, const EncoderRequest& request,
                                              const Weights& weights) {
  EncoderFile file = request.file;
  file.path = place.path;
  SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<ExternalEncoder> encoder, place.kind->load(file));
  SPEECH_RETURN_IF_ERROR(check(encoder->facts(), weights));
  return encoder;
}

}  // namespace

std::shared_ptr<SharedEncoder> choose_encoder(const EncoderRequest& request, const Weights& weights) {
  if (request.kind == kOwn) {
    return own(request.why);
  }
  const Result<std::vector<Place>> where = places(request);
  if (!where) {
    return own(where.status().message());
  }
  for (const Place& place : *where) {
    if (!exists(place.path)) {
      continue;
    }
    Result<std::unique_ptr<ExternalEncoder>> encoder = load(place, request, weights);
    if (!encoder) {
      const std::string why = "'" + place.path + "' cannot be used: " + encoder.status().message();
      log(LogLevel::kWarn, "%s; the own encoder computes", why.c_str());
      return own(why);
    }
    auto shared = std::make_shared<SharedEncoder>(place.kind->name, std::move(encoder).value(), place.path);
    log(LogLevel::kInfo, "encoder: %s", shared->reason());
    return shared;
  }
  if (request.kind == kAuto && request.file.path.empty()) {
    return own(where->empty() ? "no other is built in" : "no other lies beside the model");
  }
  std::string names;
  for (const Place& place : *where) {
    names += (names.empty() ? "'" : " or '") + place.path + "'";
  }
  return own(names.empty() ? "the model comes from no file beside which one could lie" : "there is no " + names);
}

}  // namespace speech
