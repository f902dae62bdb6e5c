// The weights of a Whisper model by their place in the network, in the layout of the back-end that loaded them.
// Must not know files beyond the model reader, nor any concrete back-end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "model/reader.h"
#include "tensor/tensor.h"

namespace speech {

struct Norm {
  Tensor gamma;  ///< (D)
  Tensor beta;   ///< (D)
};

struct Linear {
  Tensor weight;  ///< (D_out, D_in)
  Tensor bias;    ///< (D_out), or empty
};

struct AttentionWeights {
  Linear query;
  Linear key;  ///< never has a bias
  Linear value;
  Linear out;
};

struct MlpWeights {
  Linear up;    ///< (4D, D)
  Linear down;  ///< (D, 4D)
};

struct EncoderLayer {
  Norm attention_norm;
  AttentionWeights attention;
  Norm mlp_norm;
  MlpWeights mlp;
};

struct DecoderLayer {
  Norm attention_norm;
  AttentionWeights attention;
  Norm cross_norm;
  AttentionWeights cross;
  Norm mlp_norm;
  MlpWeights mlp;
};

struct EncoderWeights {
  Linear conv1;      ///< weight (D, M, 3)
  Linear conv2;      ///< weight (D, D, 3), stride 2
  Tensor positions;  ///< (n_audio_ctx, D)
  std::vector<EncoderLayer> layers;
  Norm final_norm;
};

struct DecoderWeights {
  Tensor token_embedding;  ///< (V, D), also the output projection
  Tensor positions;        ///< (n_text_ctx, D)
  std::vector<DecoderLayer> layers;
  Norm final_norm;
};

/// Read-only once loaded; shared by any number of states.
struct Weights {
  Hyperparameters hyperparameters;
  EncoderWeights encoder;
  DecoderWeights decoder;
  std::vector<std::shared_ptr<Buffer>> buffers;
  std::size_t total_bytes = 0;
  std::string encoder_fingerprint;  ///< see encoder_fingerprint.h; of no use after a load that only measures
};

/// Reads all tensors that are left in `reader` into buffers of `backend`. At most one tensor is in memory twice.
/// Fails with the reader's errors, or bad_format for a tensor that is unknown, missing, double, or of a wrong shape or
/// type.
Result<std::shared_ptr<const Weights>> load_weights(ModelReader& reader, Backend& backend);

}  // namespace speech
