// The decoder as recorded operations: cross-attention projection and one step for a batch of tokens of several
// sequences. Letters: N tokens of a step, R rows of logits, T audio frames, D width, H heads, V vocabulary.
#pragma once

#include <span>

#include "backend/backend.h"
#include "backend/workspace.h"
#include "whisper/alignment_heads.h"
#include "whisper/weights.h"

namespace speech {

/// Keys and values of one layer: (T or cells, D), F16.
struct LayerCache {
  Tensor keys;
  Tensor values;
};

/// One step, as host data that record_decoder() copies.
struct StepInputs {
  std::span<const std::int32_t> tokens;      ///< (N)
  std::span<const std::int32_t> positions;   ///< (N)
  std::span<const float> mask;               ///< (N, n_visible): 0 where token n attends to cell i, -infinity elsewhere
  std::span<const std::int32_t> logit_rows;  ///< (R) tokens of the step whose logits are wanted
  int first_cell = 0;  ///< the step's keys and values go to cells first_cell .. first_cell + N - 1
  int n_visible = 0;   ///< cells that attention looks at, from 0
};

/// cross[layer] <- keys and values of audio (T, D) for every decoder layer.
void record_cross(Stream& stream, const DecoderWeights& weights, const Tensor& audio,
                  std::span<const LayerCache> cross);

/// logits (R, V) <- the decoder over one step; cache gains the step's keys and values.
void record_decoder(Stream& stream, Workspace& workspace, const DecoderWeights& weights, int n_heads,
                    const StepInputs& inputs, std::span<const LayerCache> cache, std::span<const LayerCache> cross,
                    const Tensor& logits);

/// A pass over whole texts that only looks at attention, as host data that record_alignment() copies.
struct AlignmentInputs {
  std::span<const std::int32_t> tokens;     ///< (N)
  std::span<const std::int32_t> positions;  ///< (N): 0 .. N - 1
  std::span<const float> mask;              ///< (N, N): 0 where token n attends to token m <= n, -infinity elsewhere
};

/// attention (heads * N, T) <- what each head's tokens look at, a distribution over the rows of `cross` each, head by
/// head in the order given. Beside the decoder: it neither reads nor writes its cache, and computes no layer behind the
/// last one asked for. heads: at least one.
void record_alignment(Stream& stream, Workspace& workspace, const DecoderWeights& weights, int n_heads,
                      const AlignmentInputs& inputs, std::span<const LayerCache> cross,
                      std::span<const AlignmentHead> heads, const Tensor& attention);

}  // namespace speech
