// The encoder as recorded operations: convolution and transformer phases. Knows weights and a stream, never a device.
// Letters: T frames after the convolutions (n_audio_ctx, 1500), M mel bins, D width, H heads.
#pragma once

#include <span>

#include "backend/backend.h"
#include "backend/workspace.h"
#include "whisper/weights.h"

namespace speech {

/// x (T, D) <- the two convolutions with GELU over mel, plus positions.
/// mel: (2T, M) on the host, row-major, frames first; copied while recording.
void record_convolution(Stream& stream, Workspace& workspace, const EncoderWeights& weights, std::span<const float> mel,
                        int n_mels, const Tensor& x);

/// x (T, D) <- all transformer layers and the final norm, in place.
void record_encoder(Stream& stream, Workspace& workspace, const EncoderWeights& weights, int n_heads, const Tensor& x);

}  // namespace speech
