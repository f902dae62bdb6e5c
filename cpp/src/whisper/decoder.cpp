// Radford et al. 2022: pre-norm blocks with self-attention, cross-attention and MLP; output projection tied to the
// embedding.
#include "whisper/decoder.h"

#include <optional>

namespace speech {
namespace {

struct AttentionPlaces {
  LayerCache seen;                  // what is attended to
  std::optional<LayerCache> store;  // where this step's own keys and values go first; none for cross-attention
  Tensor mask;                      // empty for cross-attention
};

// x <- x + out(attention(norm(x)))
void record_attention(Stream& stream, Workspace& workspace, const Norm& norm, const AttentionWeights& weights,
                      int n_heads, const AttentionPlaces& places, const Tensor& x) {
  const Temporary normed = workspace.take(DType::kF32, x.shape);
  const Temporary q = workspace.take(DType::kF32, x.shape);
  stream.layer_norm(x, norm.gamma, norm.beta, normed);
  stream.linear(weights.query.weight, weights.query.bias, normed, Activation::kNone, {}, q);
  if (places.store) {
    stream.linear(weights.key.weight, weights.key.bias, normed, Activation::kNone, {}, places.store->keys);
    stream.linear(weights.value.weight, weights.value.bias, normed, Activation::kNone, {}, places.store->values);
  }
  stream.attend(q, places.seen.keys, places.seen.values, n_heads, places.mask, normed);
  stream.linear(weights.out.weight, weights.out.bias, normed, Activation::kNone, x, x);
}

void record_mlp(Stream& stream, Workspace& workspace, const Norm& norm, const MlpWeights& weights, const Tensor& x) {
  const Temporary normed = workspace.take(DType::kF32, x.shape);
  const Temporary hidden = workspace.take(DType::kF32, {x.shape[0], weights.up.weight.rows()});
  stream.layer_norm(x, norm.gamma, norm.beta, normed);
  stream.linear(weights.up.weight, weights.up.bias, normed, Activation::kGelu, {}, hidden);
  stream.linear(weights.down.weight, weights.down.bias, hidden, Activation::kNone, x, x);
}

}  // namespace

void record_cross(Stream& stream, const DecoderWeights& weights, const Tensor& audio,
                  std::span<const LayerCache> cross) {
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const AttentionWeights& attention = weights.layers[i].cross;
    const std::int64_t n_frames = audio.shape[0];
    stream.linear(attention.key.weight, attention.key.bias, audio, Activation::kNone, {},
                  cross[i].keys.row_range(0, n_frames));
    stream.linear(attention.value.weight, attention.value.bias, audio, Activation::kNone, {},
                  cross[i].values.row_range(0, n_frames));
  }
}

void record_decoder(Stream& stream, Workspace& workspace, const DecoderWeights& weights, int n_heads,
                    const StepInputs& inputs, std::span<const LayerCache> cache, std::span<const LayerCache> cross,
                    const Tensor& logits) {
  const auto n_tokens = static_cast<std::int64_t>(inputs.tokens.size());
  const auto n_rows = static_cast<std::int64_t>(inputs.logit_rows.size());
  const std::int64_t width = weights.token_embedding.columns();

  const Temporary x = workspace.take(DType::kF32, {n_tokens, width});
  const Temporary mask = workspace.take(DType::kF32, {n_tokens, inputs.n_visible});
  stream.upload(mask, std::as_bytes(inputs.mask));
  {
    const Temporary tokens = workspace.take(DType::kI32, {n_tokens});
    const Temporary positions = workspace.take(DType::kI32, {n_tokens});
    stream.upload(tokens, std::as_bytes(inputs.tokens));
    stream.upload(positions, std::as_bytes(inputs.positions));
    stream.embed(tokens, positions, weights.token_embedding, weights.positions, x);
  }
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const DecoderLayer& layer = weights.layers[i];
    const LayerCache seen = {cache[i].keys.row_range(0, inputs.n_visible),
                             cache[i].values.row_range(0, inputs.n_visible)};
    const LayerCache store = {cache[i].keys.row_range(inputs.first_cell, n_tokens),
                              cache[i].values.row_range(inputs.first_cell, n_tokens)};
    record_attention(stream, workspace, layer.attention_norm, layer.attention, n_heads, {seen, store, mask}, x);
    record_attention(stream, workspace, layer.cross_norm, layer.cross, n_heads, {cross[i], {}, {}}, x);
    record_mlp(stream, workspace, layer.mlp_norm, layer.mlp, x);
  }
  const Temporary rows = workspace.take(DType::kI32, {n_rows});
  const Temporary last = workspace.take(DType::kF32, {n_rows, width});
  stream.upload(rows, std::as_bytes(inputs.logit_rows));
  stream.gather(x, rows, last);
  stream.layer_norm(last, weights.final_norm.gamma, weights.final_norm.beta, last);
  stream.linear(weights.token_embedding, {}, last, Activation::kNone, {}, logits);
}

}  // namespace speech
