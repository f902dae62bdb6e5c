// Which cross-attention heads follow the audio: the published choice for each model, or the caller's own. Knows sizes
// of models, no weights.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "model/hyperparameters.h"

namespace speech {

struct AlignmentHead {
  int layer = 0;  ///< 0 .. n_text_layer - 1
  int head = 0;   ///< 0 .. n_text_head - 1
  bool operator==(const AlignmentHead&) const = default;
};

/// In the order of whisper.h.
enum class AlignmentPreset {
  kNone,
  kTopMost,
  kCustom,
  kTinyEn,
  kTiny,
  kBaseEn,
  kBase,
  kSmallEn,
  kSmall,
  kMediumEn,
  kMedium,
  kLargeV1,
  kLargeV2,
  kLargeV3,
  kLargeV3Turbo,
};

struct AlignmentRequest {
  AlignmentPreset preset = AlignmentPreset::kNone;
  int n_top = 0;                      ///< last text layers, all of their heads, for kTopMost
  std::vector<AlignmentHead> custom;  ///< for kCustom
};

/// The heads of a request, layer by layer; at least one. invalid_argument, naming what was asked for and what the model
/// has: no preset, the preset of another model, n_top outside 1 .. n_text_layer, no head or one that the model does not
/// have or that is named twice. large-v1 and large-v2 differ in their weights only, so neither can be refused for the
/// other. Source of the presets: openai/whisper, whisper/__init__.py.
Result<std::vector<AlignmentHead>> alignment_heads(const AlignmentRequest& request, const Hyperparameters& model);

}  // namespace speech
