// The table of presets and their checks.
#include "whisper/alignment_heads.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace speech {
namespace {

constexpr AlignmentHead kTinyEnHeads[] = {{1, 0}, {2, 0}, {2, 5}, {3, 0}, {3, 1}, {3, 2}, {3, 3}, {3, 4}};
constexpr AlignmentHead kTinyHeads[] = {{2, 2}, {3, 0}, {3, 2}, {3, 3}, {3, 4}, {3, 5}};
constexpr AlignmentHead kBaseEnHeads[] = {{3, 3}, {4, 7}, {5, 1}, {5, 5}, {5, 7}};
constexpr AlignmentHead kBaseHeads[] = {{3, 1}, {4, 2}, {4, 3}, {4, 7}, {5, 1}, {5, 2}, {5, 4}, {5, 6}};
constexpr AlignmentHead kSmallEnHeads[] = {{6, 6},  {7, 0},  {7, 3},   {7, 8},  {8, 2},  {8, 5},  {8, 7},
                                           {9, 0},  {9, 4},  {9, 8},   {9, 10}, {10, 0}, {10, 1}, {10, 2},
                                           {10, 3}, {10, 6}, {10, 11}, {11, 2}, {11, 4}};
constexpr AlignmentHead kSmallHeads[] = {{5, 3}, {5, 9}, {8, 0}, {8, 4}, {8, 7},
                                         {8, 8}, {9, 0}, {9, 7}, {9, 9}, {10, 5}};
constexpr AlignmentHead kMediumEnHeads[] = {{11, 4},  {14, 1}, {14, 12}, {14, 14}, {15, 4},  {16, 0},
                                            {16, 4},  {16, 9}, {17, 12}, {17, 14}, {18, 7},  {18, 10},
                                            {18, 15}, {20, 0}, {20, 3},  {20, 9},  {20, 14}, {21, 12}};
constexpr AlignmentHead kMediumHeads[] = {{13, 15}, {15, 4}, {15, 15}, {16, 1}, {20, 0}, {23, 4}};
constexpr AlignmentHead kLargeV1Heads[] = {{9, 19},  {11, 2},  {11, 4}, {11, 17}, {22, 7},
                                           {22, 11}, {22, 17}, {23, 2}, {23, 15}};
constexpr AlignmentHead kLargeV2Heads[] = {{10, 12}, {13, 17}, {16, 11}, {16, 12}, {16, 13}, {17, 15},
                                           {17, 16}, {18, 4},  {18, 11}, {18, 19}, {19, 11}, {21, 2},
                                           {21, 3},  {22, 3},  {22, 9},  {22, 12}, {23, 5},  {23, 7},
                                           {23, 13}, {25, 5},  {26, 1},  {26, 12}, {27, 15}};
constexpr AlignmentHead kLargeV3Heads[] = {{7, 0},   {10, 17}, {12, 18}, {13, 12}, {16, 1},
                                           {17, 14}, {19, 11}, {21, 4},  {24, 1},  {25, 6}};
constexpr AlignmentHead kLargeV3TurboHeads[] = {{2, 4}, {2, 11}, {3, 3}, {3, 6}, {3, 11}, {3, 14}};

constexpr int kEnglishVocabulary = 51864;
constexpr int kMultilingualVocabulary = 51865;
constexpr int kLargeV3Vocabulary = 51866;

/// A published model as far as its header tells it from others.
struct Preset {
  AlignmentPreset preset;
  std::string_view name;
  int n_layers;
  int n_heads;
  int n_vocab;
  std::span<const AlignmentHead> heads;
};

constexpr Preset kPresets[] = {
    {AlignmentPreset::kTinyEn, "tiny.en", 4, 6, kEnglishVocabulary, kTinyEnHeads},
    {AlignmentPreset::kTiny, "tiny", 4, 6, kMultilingualVocabulary, kTinyHeads},
    {AlignmentPreset::kBaseEn, "base.en", 6, 8, kEnglishVocabulary, kBaseEnHeads},
    {AlignmentPreset::kBase, "base", 6, 8, kMultilingualVocabulary, kBaseHeads},
    {AlignmentPreset::kSmallEn, "small.en", 12, 12, kEnglishVocabulary, kSmallEnHeads},
    {AlignmentPreset::kSmall, "small", 12, 12, kMultilingualVocabulary, kSmallHeads},
    {AlignmentPreset::kMediumEn, "medium.en", 24, 16, kEnglishVocabulary, kMediumEnHeads},
    {AlignmentPreset::kMedium, "medium", 24, 16, kMultilingualVocabulary, kMediumHeads},
    {AlignmentPreset::kLargeV1, "large-v1", 32, 20, kMultilingualVocabulary, kLargeV1Heads},
    {AlignmentPreset::kLargeV2, "large-v2", 32, 20, kMultilingualVocabulary, kLargeV2Heads},
    {AlignmentPreset::kLargeV3, "large-v3", 32, 20, kLargeV3Vocabulary, kLargeV3Heads},
    {AlignmentPreset::kLargeV3Turbo, "large-v3-turbo", 4, 20, kLargeV3Vocabulary, kLargeV3TurboHeads},
};

std::string describe(int n_layers, int n_heads, int n_vocab) {
  return std::to_string(n_layers) + " text layers of " + std::to_string(n_heads) + " heads and " +
         std::to_string(n_vocab) + " tokens";
}

std::string describe(const Hyperparameters& model) {
  return "the model has " + describe(model.n_text_layer, model.n_text_head, model.n_vocab);
}

Status invalid(const std::string& message) { return {Code::kInvalidArgument, "alignment heads: " + message}; }

Result<std::vector<AlignmentHead>> top_most(int n_top, const Hyperparameters& model) {
  if (n_top < 1 || n_top > model.n_text_layer) {
    return invalid("dtw_n_top is " + std::to_string(n_top) + ", expected 1 to " + std::to_string(model.n_text_layer) +
                   ": " + describe(model));
  }
  std::vector<AlignmentHead> heads;
  for (int layer = model.n_text_layer - n_top; layer < model.n_text_layer; ++layer) {
    for (int head = 0; head < model.n_text_head; ++head) {
      heads.push_back({layer, head});
    }
  }
  return heads;
}

Result<std::vector<AlignmentHead>> checked(std::vector<AlignmentHead> heads, const Hyperparameters& model) {
  if (heads.empty()) {
    return invalid("dtw_aheads names none, expected 1 to " + std::to_string(model.n_text_layer * model.n_text_head));
  }
  const auto before = [](const AlignmentHead& a, const AlignmentHead& b) {
    return a.layer != b.layer ? a.layer < b.layer : a.head < b.head;
  };
  std::ranges::sort(heads, before);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto [layer, head] = heads[i];
    const std::string name = "dtw_aheads names layer " + std::to_string(layer) + ", head " + std::to_string(head);
    if (layer < 0 || layer >= model.n_text_layer || head < 0 || head >= model.n_text_head) {
      return invalid(name + ", but " + describe(model) + ", both counted from 0");
    }
    if (i > 0 && heads[i] == heads[i - 1]) {
      return invalid(name + " twice");
    }
  }
  return heads;
}

}  // namespace

Result<std::vector<AlignmentHead>> alignment_heads(const AlignmentRequest& request, const Hyperparameters& model) {
  switch (request.preset) {
    case AlignmentPreset::kNone:
      return invalid(
          "token times by alignment are asked for, but dtw_aheads_preset is NONE; name the model's, or "
          "N_TOP_MOST or CUSTOM");
    case AlignmentPreset::kTopMost: return top_most(request.n_top, model);
    case AlignmentPreset::kCustom: return checked(request.custom, model);
    default: break;
  }
  const auto* const preset = std::ranges::find(kPresets, request.preset, &Preset::preset);
  if (preset == std::end(kPresets)) {
    return invalid("dtw_aheads_preset is " + std::to_string(static_cast<int>(request.preset)) + ", expected 0 to " +
                   std::to_string(static_cast<int>(AlignmentPreset::kLargeV3Turbo)));
  }
  if (preset->n_layers != model.n_text_layer || preset->n_heads != model.n_text_head ||
      preset->n_vocab != model.n_vocab) {
    return invalid("dtw_aheads_preset is that of " + std::string(preset->name) + " (" +
                   describe(preset->n_layers, preset->n_heads, preset->n_vocab) + "), but " + describe(model) +
                   "; take the preset of this model, N_TOP_MOST or CUSTOM");
  }
  return std::vector<AlignmentHead>(preset->heads.begin(), preset->heads.end());
}

}  // namespace speech
