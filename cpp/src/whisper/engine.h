// Runs the phases of one state on its back-end: convolution, encoder, cross-attention projection, decoder steps. Owns
// the back-end, the caches and exact buffers for the phases. Knows tokens only as numbers: no vocabulary, no decoding
// rule.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/workspace.h"
#include "base/status.h"
#include "encoders/shared_encoder.h"
#include "whisper/decoder.h"
#include "whisper/kv_cache.h"
#include "whisper/weights.h"

namespace speech {

/// One token of a decoder step. tokens of different sequences may share a step.
struct StepToken {
  std::int32_t token = 0;   ///< 0 .. V - 1
  Position position = 0;    ///< 0 .. n_text_ctx - 1
  SequenceId sequence = 0;  ///< 0 .. kMaxSequences - 1
  bool wants_logits = false;
};

/// Heads that one align() computes; more take several calls. Every published choice has fewer, and it bounds what their
/// attention takes: 32 * 229 * 1500 floats are 44 MB.
inline constexpr std::size_t kMaxAlignmentHeads = 32;

/// Used by one thread at a time. After a failed or cancelled call it works as new, but for an empty cache. Arguments
/// out of range are invalid_argument; tokens, positions and sequence ids are the caller's to check.
class Engine {
 public:
  /// Measures every phase at its largest shape, then allocates. n_sequences: see reserve().
  static Result<std::unique_ptr<Engine>> create(std::shared_ptr<const Weights> weights,
                                                std::unique_ptr<Backend> backend, int n_sequences);

  /// Makes room for up to n_sequences (1 .. kMaxSequences) that share a prompt and then part; clears the cache if it
  /// has to grow.
  Status reserve(int n_sequences);

  /// Lets an external encoder compute the windows that it takes; never null.
  void set_encoder(std::shared_ptr<SharedEncoder> encoder) { shared_encoder_ = std::move(encoder); }
  const SharedEncoder* encoder() const { return shared_encoder_.get(); }

  /// Encodes one window and projects it for cross-attention. mel: (2T, M), frames first, T in 1 .. n_audio_ctx.
  Status encode(std::span<const float> mel);

  /// One step: 1 .. n_text_ctx tokens, at least one and at most kMaxSequences of them wanting logits.
  /// Returns (R, V) logits in the order of those tokens, valid until the next call. Needs encode() before it.
  Result<std::span<const float>> decode(std::span<const StepToken> step);

  /// What the given heads look at while the decoder reads `tokens` (1 .. max_alignment_tokens(), at positions from 0):
  /// (heads, N, n_frames), each row a distribution over the window's first n_frames frames, in the order given; valid
  /// until the next call. Needs encode() before it; leaves the cache alone. Its memory is
  /// made by the first call, and again if more heads than ever are asked for.
  Result<std::span<const float>> align(std::span<const std::int32_t> tokens, std::span<const AlignmentHead> heads,
                                       int n_frames);

  /// Half a context of text, and what stands around it: start, language, task, no timestamps, end.
  int max_alignment_tokens() const { return weights_->hyperparameters.n_text_ctx / 2 + 5; }

  /// (T, D) output of the encoder for the last window.
  Result<std::span<const float>> encoder_output();

  KvCache& cache() { return cache_; }
  bool has_audio() const { return n_frames_ > 0; }
  Stream& stream() { return backend_->stream(); }
  Backend& backend() { return *backend_; }
  const Weights& weights() const { return *weights_; }

  /// Caches and phase buffers, without the weights; those of align() if it was called, and what an
  /// external encoder gave.
  std::size_t bytes() const;

 private:
  Engine(std::shared_ptr<const Weights> weights, std::unique_ptr<Backend> backend);
  Status plan_encoder();
  Status plan_decoder(int n_sequences);
  Status plan_alignment(std::size_t n_heads);
  bool encode_outside(std::span<const float> mel, int n_frames);
  void build_mask(std::span<const StepToken> step, int n_visible);

  std::shared_ptr<const Weights> weights_;
  std::unique_ptr<Backend> backend_;

  // In the place of convolution and encoder, if there is one.
  std::shared_ptr<SharedEncoder> shared_encoder_;
  std::vector<float> shared_output_;  // (T, D) of the window

  // Encoder side: the window's activations stay in audio_ (T, D); cross_ holds its keys and values, which take the
  // place of the encoder's temporaries.
  std::shared_ptr<Buffer> encoder_buffer_;
  Tensor audio_;
  std::vector<LayerCache> cross_;       // (n_audio_ctx, D) each
  std::vector<LayerCache> cross_seen_;  // the rows of the last window
  Workspace convolution_;
  Workspace encoder_;
  int n_frames_ = 0;

  // Decoder side.
  std::shared_ptr<Buffer> decoder_buffer_;
  std::vector<LayerCache> self_;  // (cells, D) each
  Tensor logits_;                 // (kMaxSequences at most, V)
  Workspace decoder_;
  KvCache cache_;
  int n_sequences_ = 0;

  // Alignment, where asked for.
  std::shared_ptr<Buffer> alignment_buffer_;
  Tensor attention_;  // (heads * max_alignment_tokens(), n_audio_ctx) at most
  Workspace alignment_;
  std::size_t n_alignment_heads_ = 0;

  // Host side of a step, reserved once.
  std::vector<std::int32_t> tokens_;
  std::vector<std::int32_t> positions_;
  std::vector<std::int32_t> sequences_;
  std::vector<std::int32_t> rows_;
  std::vector<float> mask_;
};

}  // namespace speech
