// Loading: from named tensors of the file to the network's structure.
#include "whisper/weights.h"

#include <string>
#include <unordered_map>

#include "model/tensor_names.h"
#include "whisper/encoder_fingerprint.h"

namespace speech {
namespace {

using NamedTensors = std::unordered_map<std::string, Tensor>;

// The checklist has made sure that every name is there.
Tensor find(const NamedTensors& tensors, const std::string& name) {
  const auto found = tensors.find(name);
  return found != tensors.end() ? found->second : Tensor{};
}

Norm find_norm(const NamedTensors& tensors, const std::string& name) {
  return {find(tensors, name + ".weight"), find(tensors, name + ".bias")};
}

Linear find_linear(const NamedTensors& tensors, const std::string& name) {
  return {find(tensors, name + ".weight"), find(tensors, name + ".bias")};
}

AttentionWeights find_attention(const NamedTensors& tensors, const std::string& name) {
  return {find_linear(tensors, name + ".query"), find_linear(tensors, name + ".key"),
          find_linear(tensors, name + ".value"), find_linear(tensors, name + ".out")};
}

MlpWeights find_mlp(const NamedTensors& tensors, const std::string& name) {
  return {find_linear(tensors, name + ".0"), find_linear(tensors, name + ".2")};
}

EncoderWeights assemble_encoder(const NamedTensors& tensors, int n_layers) {
  EncoderWeights encoder;
  encoder.conv1 = find_linear(tensors, "encoder.conv1");
  encoder.conv2 = find_linear(tensors, "encoder.conv2");
  encoder.positions = find(tensors, "encoder.positional_embedding");
  encoder.final_norm = find_norm(tensors, "encoder.ln_post");
  for (int i = 0; i < n_layers; ++i) {
    const std::string block = "encoder.blocks." + std::to_string(i);
    encoder.layers.push_back({find_norm(tensors, block + ".attn_ln"), find_attention(tensors, block + ".attn"),
                              find_norm(tensors, block + ".mlp_ln"), find_mlp(tensors, block + ".mlp")});
  }
  return encoder;
}

DecoderWeights assemble_decoder(const NamedTensors& tensors, int n_layers) {
  DecoderWeights decoder;
  decoder.token_embedding = find(tensors, "decoder.token_embedding.weight");
  decoder.positions = find(tensors, "decoder.positional_embedding");
  decoder.final_norm = find_norm(tensors, "decoder.ln");
  for (int i = 0; i < n_layers; ++i) {
    const std::string block = "decoder.blocks." + std::to_string(i);
    decoder.layers.push_back({find_norm(tensors, block + ".attn_ln"), find_attention(tensors, block + ".attn"),
                              find_norm(tensors, block + ".cross_attn_ln"),
                              find_attention(tensors, block + ".cross_attn"), find_norm(tensors, block + ".mlp_ln"),
                              find_mlp(tensors, block + ".mlp")});
  }
  return decoder;
}

}  // namespace

Result<std::shared_ptr<const Weights>> load_weights(ModelReader& reader, Backend& backend) {
  auto weights = std::make_shared<Weights>();
  weights->hyperparameters = reader.hyperparameters();
  TensorChecklist checklist(weights->hyperparameters);
  NamedTensors tensors;
  EncoderFingerprint fingerprint;

  while (true) {
    SPEECH_ASSIGN_OR_RETURN(const std::optional<TensorHeader> header, reader.next());
    if (!header) {
      break;
    }
    SPEECH_ASSIGN_OR_RETURN(const ExpectedTensor* expected, checklist.accept(*header));
    const std::size_t bytes = backend.weight_bytes(header->dtype, expected->shape);
    SPEECH_ASSIGN_OR_RETURN(std::shared_ptr<Buffer> buffer, backend.allocate(bytes));
    const Tensor tensor{buffer.get(), 0, header->dtype, expected->shape};
    const bool counts = EncoderFingerprint::counts(*header);
    const auto read = [&](void* out, std::size_t n) {
      Status status = reader.read_data(out, n);
      if (counts && status) {
        fingerprint.add(*header, {static_cast<const std::byte*>(out), n});
      }
      return status;
    };
    SPEECH_RETURN_IF_ERROR(backend.load_weight(tensor, read));
    weights->total_bytes += bytes;
    weights->buffers.push_back(std::move(buffer));
    tensors.emplace(header->name, tensor);
  }
  SPEECH_RETURN_IF_ERROR(checklist.all_present());
  weights->encoder_fingerprint = fingerprint.finish(weights->hyperparameters);

  weights->encoder = assemble_encoder(tensors, weights->hyperparameters.n_audio_layer);
  weights->decoder = assemble_decoder(tensors, weights->hyperparameters.n_text_layer);
  return std::shared_ptr<const Weights>(std::move(weights));
}

}  // namespace speech
