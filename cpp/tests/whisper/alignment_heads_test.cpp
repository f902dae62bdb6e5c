// Which heads align, and what is refused.
#include "whisper/alignment_heads.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

namespace speech::testing {
namespace {

Hyperparameters model_of(int n_layers, int n_heads, int n_vocab) {
  Hyperparameters model;
  model.n_text_layer = n_layers;
  model.n_text_head = n_heads;
  model.n_vocab = n_vocab;
  return model;
}

struct Published {
  AlignmentPreset preset;
  std::string name;
  Hyperparameters model;
  std::size_t n_heads;
};

const std::vector<Published>& published() {
  static const std::vector<Published> all = {
      {AlignmentPreset::kTinyEn, "tiny.en", model_of(4, 6, 51864), 8},
      {AlignmentPreset::kTiny, "tiny", model_of(4, 6, 51865), 6},
      {AlignmentPreset::kBaseEn, "base.en", model_of(6, 8, 51864), 5},
      {AlignmentPreset::kBase, "base", model_of(6, 8, 51865), 8},
      {AlignmentPreset::kSmallEn, "small.en", model_of(12, 12, 51864), 19},
      {AlignmentPreset::kSmall, "small", model_of(12, 12, 51865), 10},
      {AlignmentPreset::kMediumEn, "medium.en", model_of(24, 16, 51864), 18},
      {AlignmentPreset::kMedium, "medium", model_of(24, 16, 51865), 6},
      {AlignmentPreset::kLargeV1, "large-v1", model_of(32, 20, 51865), 9},
      {AlignmentPreset::kLargeV2, "large-v2", model_of(32, 20, 51865), 23},
      {AlignmentPreset::kLargeV3, "large-v3", model_of(32, 20, 51866), 10},
      {AlignmentPreset::kLargeV3Turbo, "large-v3-turbo", model_of(4, 20, 51866), 6},
  };
  return all;
}

std::string refusal(const AlignmentRequest& request, const Hyperparameters& model) {
  const auto heads = alignment_heads(request, model);
  EXPECT_FALSE(heads);
  EXPECT_EQ(heads.status().code(), Code::kInvalidArgument);
  return heads.status().message();
}

TEST(AlignmentHeads, EveryPresetFitsItsModel) {
  for (const Published& one : published()) {
    const auto heads = alignment_heads({one.preset, 0, {}}, one.model);
    ASSERT_TRUE(heads) << one.name << ": " << heads.status().message();
    EXPECT_EQ(heads->size(), one.n_heads) << one.name;
    for (const auto& [layer, head] : *heads) {
      EXPECT_TRUE(layer >= 0 && layer < one.model.n_text_layer) << one.name;
      EXPECT_TRUE(head >= 0 && head < one.model.n_text_head) << one.name;
    }
  }
}

TEST(AlignmentHeads, UserReport27APresetOfAnotherModelIsRefusedNamingBoth) {
  for (const Published& asked : published()) {
    for (const Published& loaded : published()) {
      const bool same_sizes = std::tie(asked.model.n_text_layer, asked.model.n_text_head, asked.model.n_vocab) ==
                              std::tie(loaded.model.n_text_layer, loaded.model.n_text_head, loaded.model.n_vocab);
      if (!same_sizes) {
        const std::string message = refusal({asked.preset, 0, {}}, loaded.model);
        EXPECT_NE(message.find("that of " + asked.name + " ("), std::string::npos) << message;
        EXPECT_NE(message.find("the model has " + std::to_string(loaded.model.n_text_layer) + " text layers"),
                  std::string::npos)
            << message;
      }
    }
  }
}

TEST(AlignmentHeads, TopMostTakesAllHeadsOfTheLastLayers) {
  const auto heads = alignment_heads({AlignmentPreset::kTopMost, 2, {}}, model_of(4, 3, 51864));
  ASSERT_TRUE(heads);
  EXPECT_EQ(*heads, (std::vector<AlignmentHead>{{2, 0}, {2, 1}, {2, 2}, {3, 0}, {3, 1}, {3, 2}}));
  for (const int n_top : {-1, 0, 5}) {
    EXPECT_NE(refusal({AlignmentPreset::kTopMost, n_top, {}}, model_of(4, 3, 51864)).find("expected 1 to 4"),
              std::string::npos);
  }
}

TEST(AlignmentHeads, CustomHeadsMustBeTheModelsAndNamedOnce) {
  const Hyperparameters model = model_of(4, 6, 51864);
  const auto heads = alignment_heads({AlignmentPreset::kCustom, 0, {{3, 5}, {0, 0}}}, model);
  ASSERT_TRUE(heads);
  EXPECT_EQ(*heads, (std::vector<AlignmentHead>{{0, 0}, {3, 5}}));
  for (const AlignmentHead outside : {AlignmentHead{4, 0}, {0, 6}, {-1, 0}, {0, -1}}) {
    const std::string message = refusal({AlignmentPreset::kCustom, 0, {{1, 1}, outside}}, model);
    EXPECT_NE(message.find("layer " + std::to_string(outside.layer) + ", head " + std::to_string(outside.head)),
              std::string::npos);
    EXPECT_NE(message.find("the model has 4 text layers of 6 heads"), std::string::npos);
  }
  EXPECT_NE(refusal({AlignmentPreset::kCustom, 0, {{1, 1}, {1, 1}}}, model).find("twice"), std::string::npos);
  EXPECT_NE(refusal({AlignmentPreset::kCustom, 0, {}}, model).find("names none"), std::string::npos);
}

TEST(AlignmentHeads, NoPresetAndUnknownOnesAreRefused) {
  const Hyperparameters model = model_of(4, 6, 51864);
  EXPECT_NE(refusal({}, model).find("NONE"), std::string::npos);
  EXPECT_NE(refusal({static_cast<AlignmentPreset>(15), 0, {}}, model).find("is 15, expected 0 to 14"),
            std::string::npos);
  EXPECT_NE(refusal({static_cast<AlignmentPreset>(-1), 0, {}}, model).find("is -1"), std::string::npos);
}

}  // namespace
}  // namespace speech::testing
