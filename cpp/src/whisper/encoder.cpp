// Radford et al. 2022, section 2.2: two convolutions, sinusoidal positions (stored in the file), pre-norm transformer
// blocks.
#include "whisper/encoder.h"

namespace speech {
namespace {

void record_layer(Stream& stream, Workspace& workspace, const EncoderLayer& layer, int n_heads, const Tensor& x) {
  const Shape rows = x.shape;
  const Temporary normed = workspace.take(DType::kF32, rows);
  stream.layer_norm(x, layer.attention_norm.gamma, layer.attention_norm.beta, normed);
  {
    const Temporary q = workspace.take(DType::kF32, rows);
    const Temporary k = workspace.take(DType::kF32, rows);
    const Temporary v = workspace.take(DType::kF32, rows);
    const AttentionWeights& attention = layer.attention;
    stream.linear(attention.query.weight, attention.query.bias, normed, Activation::kNone, {}, q);
    stream.linear(attention.key.weight, attention.key.bias, normed, Activation::kNone, {}, k);
    stream.linear(attention.value.weight, attention.value.bias, normed, Activation::kNone, {}, v);
    stream.attend(q, k, v, n_heads, {}, normed);
    stream.linear(attention.out.weight, attention.out.bias, normed, Activation::kNone, x, x);
  }
  stream.layer_norm(x, layer.mlp_norm.gamma, layer.mlp_norm.beta, normed);
  const Temporary hidden = workspace.take(DType::kF32, {rows[0], layer.mlp.up.weight.rows()});
  stream.linear(layer.mlp.up.weight, layer.mlp.up.bias, normed, Activation::kGelu, {}, hidden);
  stream.linear(layer.mlp.down.weight, layer.mlp.down.bias, hidden, Activation::kNone, x, x);
}

}  // namespace

void record_convolution(Stream& stream, Workspace& workspace, const EncoderWeights& weights, std::span<const float> mel,
                        int n_mels, const Tensor& x) {
  const std::int64_t n_frames = 2 * x.shape[0];
  const Temporary input = workspace.take(DType::kF32, {n_frames, n_mels});
  const Temporary features = workspace.take(DType::kF32, {n_frames, x.shape[1]});
  stream.upload(input, std::as_bytes(mel));
  stream.convolve(weights.conv1.weight, weights.conv1.bias, input, 1, Activation::kGelu, features);
  stream.convolve(weights.conv2.weight, weights.conv2.bias, features, 2, Activation::kGelu, x);
  stream.add(x, weights.positions.row_range(0, x.shape[0]));
}

void record_encoder(Stream& stream, Workspace& workspace, const EncoderWeights& weights, int n_heads, const Tensor& x) {
  for (const EncoderLayer& layer : weights.layers) {
    record_layer(stream, workspace, layer, n_heads, x);
  }
  stream.layer_norm(x, weights.final_norm.gamma, weights.final_norm.beta, x);
}

}  // namespace speech
