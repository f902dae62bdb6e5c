// Radford et al. 2022: pre-norm blocks with self-attention, cross-attention and MLP; output projection tied to the
// embedding.
#include "whisper/decoder.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace speech {
namespace {

// Where the attention weights of one head go.
struct WeightsPlace {
  int head = 0;
  Tensor out;
};

struct AttentionPlaces {
  LayerCache seen;                  // what is attended to
  std::optional<LayerCache> store;  // where this step's own keys and values go first; none for cross-attention
  Tensor mask;                      // empty for cross-attention
  std::span<const WeightsPlace> weights = {};
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
  for (const WeightsPlace& place : places.weights) {
    stream.attend_weights(q, places.seen.keys, n_heads, place.head, place.out);
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

namespace {

// x (N, D) <- embeddings of the tokens at their positions.
void record_embedding(Stream& stream, Workspace& workspace, const DecoderWeights& weights,
                      std::span<const std::int32_t> token_ids, std::span<const std::int32_t> token_positions,
                      const Tensor& x) {
  const Temporary tokens = workspace.take(DType::kI32, {x.shape[0]});
  const Temporary positions = workspace.take(DType::kI32, {x.shape[0]});
  stream.upload(tokens, std::as_bytes(token_ids));
  stream.upload(positions, std::as_bytes(token_positions));
  stream.embed(tokens, positions, weights.token_embedding, weights.positions, x);
}

}  // namespace

void record_decoder(Stream& stream, Workspace& workspace, const DecoderWeights& weights, int n_heads,
                    const StepInputs& inputs, std::span<const LayerCache> cache, std::span<const LayerCache> cross,
                    const Tensor& logits) {
  const auto n_tokens = static_cast<std::int64_t>(inputs.tokens.size());
  const auto n_rows = static_cast<std::int64_t>(inputs.logit_rows.size());
  const std::int64_t width = weights.token_embedding.columns();

  const Temporary x = workspace.take(DType::kF32, {n_tokens, width});
  const Temporary mask = workspace.take(DType::kF32, {n_tokens, inputs.n_visible});
  stream.upload(mask, std::as_bytes(inputs.mask));
  record_embedding(stream, workspace, weights, inputs.tokens, inputs.positions, x);
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

void record_alignment(Stream& stream, Workspace& workspace, const DecoderWeights& weights, int n_heads,
                      const AlignmentInputs& inputs, std::span<const LayerCache> cross,
                      std::span<const AlignmentHead> heads, const Tensor& attention) {
  const auto n_tokens = static_cast<std::int64_t>(inputs.tokens.size());
  const std::int64_t width = weights.token_embedding.columns();
  const int last_layer = std::ranges::max(heads, {}, &AlignmentHead::layer).layer;

  const Temporary x = workspace.take(DType::kF32, {n_tokens, width});
  const Temporary mask = workspace.take(DType::kF32, {n_tokens, n_tokens});
  const Temporary keys = workspace.take(DType::kF16, {n_tokens, width});
  const Temporary values = workspace.take(DType::kF16, {n_tokens, width});
  stream.upload(mask, std::as_bytes(inputs.mask));
  record_embedding(stream, workspace, weights, inputs.tokens, inputs.positions, x);
  const LayerCache own = {keys, values};
  for (int i = 0; i <= last_layer; ++i) {
    const DecoderLayer& layer = weights.layers[static_cast<std::size_t>(i)];
    std::vector<WeightsPlace> wanted;
    for (std::size_t h = 0; h < heads.size(); ++h) {
      if (heads[h].layer == i) {
        wanted.push_back({heads[h].head, attention.row_range(static_cast<std::int64_t>(h) * n_tokens, n_tokens)});
      }
    }
    record_attention(stream, workspace, layer.attention_norm, layer.attention, n_heads, {own, own, mask}, x);
    record_attention(stream, workspace, layer.cross_norm, layer.cross, n_heads,
                     {cross[static_cast<std::size_t>(i)], {}, {}, wanted}, x);
    record_mlp(stream, workspace, layer.mlp_norm, layer.mlp, x);
  }
}

}  // namespace speech
