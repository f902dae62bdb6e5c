// Chooses what encodes a context's windows: an external encoder that belongs to the model, or the own one.
#pragma once

#include <memory>
#include <string>

#include "encoders/shared_encoder.h"
#include "whisper/weights.h"

namespace speech {

struct EncoderRequest {
  std::string kind = "auto";  ///< a kind of encoders/registry.h, "auto" for any that is built, "own" for none
  std::string why = "it was asked for";  ///< of "own"
  std::string model_path;                ///< beside which an encoder may lie; empty for a model that comes from no file
  EncoderFile file;                      ///< its path may be empty: the encoder that lies beside the model
};

/// Never null: what cannot be used, is of another model or fails to load leaves the own encoder, with the reason, and a
/// warning if there was a file.
std::shared_ptr<SharedEncoder> choose_encoder(const EncoderRequest& request, const Weights& weights);

}  // namespace speech
