// The parameters of token times by alignment, through the C functions that load.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capi/handles.h"
#include "capi/loaded.h"

namespace speech::testing {
namespace {

/// Two text layers of two heads, English-only.
ContextPointer load_with(const whisper_context_params& params) {
  SyntheticSpec spec;
  spec.n_text_layer = 2;
  static const SyntheticModel& model = synthetic_model(spec);
  std::vector<std::byte> bytes = model.bytes;
  whisper_ext_clear_error();
  return ContextPointer(whisper_init_from_buffer_with_params(bytes.data(), bytes.size(), params));
}

whisper_context_params aligned(whisper_alignment_heads_preset preset) {
  whisper_context_params params = whisper_context_default_params();
  params.dtw_token_timestamps = true;
  params.dtw_aheads_preset = preset;
  return params;
}

void expect_refused(const whisper_context_params& params, const std::vector<std::string>& words) {
  EXPECT_EQ(load_with(params), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  for (const std::string& word : words) {
    EXPECT_NE(std::string(whisper_ext_last_error()).find(word), std::string::npos) << whisper_ext_last_error();
  }
}

TEST(AlignmentParameters, AreIgnoredIfAlignmentIsOff) {
  whisper_context_params params = whisper_context_default_params();
  params.dtw_aheads_preset = WHISPER_AHEADS_LARGE_V3;
  params.dtw_n_top = 99;
  const ContextPointer context = load_with(params);
  ASSERT_NE(context, nullptr) << whisper_ext_last_error();
  EXPECT_TRUE(context->model->alignment_heads().empty());
}

TEST(AlignmentParameters, UserReport27WorkTogetherWithFusedAttention) {
  whisper_context_params params = aligned(WHISPER_AHEADS_N_TOP_MOST);
  params.dtw_n_top = 1;
  for (const bool fused : {false, true}) {
    params.flash_attn = fused;
    const ContextPointer context = load_with(params);
    ASSERT_NE(context, nullptr) << whisper_ext_last_error();
    EXPECT_EQ(context->model->alignment_heads().size(), 2U);
  }
}

TEST(AlignmentParameters, UserReport27APresetOfAnotherModelFailsTheLoad) {
  for (int preset = WHISPER_AHEADS_TINY_EN; preset <= WHISPER_AHEADS_LARGE_V3_TURBO; ++preset) {
    expect_refused(aligned(static_cast<whisper_alignment_heads_preset>(preset)),
                   {"dtw_aheads_preset", "the model has 2 text layers of 2 heads"});
  }
}

TEST(AlignmentParameters, NeedAPreset) { expect_refused(aligned(WHISPER_AHEADS_NONE), {"dtw_aheads_preset is NONE"}); }

TEST(AlignmentParameters, TopLayersMustExist) {
  whisper_context_params params = aligned(WHISPER_AHEADS_N_TOP_MOST);
  for (const int n_top : {-1, 0, 3, 1000}) {
    params.dtw_n_top = n_top;
    expect_refused(params, {"dtw_n_top is " + std::to_string(n_top), "1 to 2"});
  }
}

TEST(AlignmentParameters, CustomHeadsAreCopiedAndChecked) {
  std::vector<whisper_ahead> heads = {{1, 0}, {0, 1}};
  whisper_context_params params = aligned(WHISPER_AHEADS_CUSTOM);
  params.dtw_aheads = {heads.size(), heads.data()};
  const ContextPointer context = load_with(params);
  ASSERT_NE(context, nullptr) << whisper_ext_last_error();
  heads[0] = {9, 9};
  const auto kept = context->model->alignment_heads();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0], (AlignmentHead{0, 1}));
  EXPECT_EQ(kept[1], (AlignmentHead{1, 0}));
  expect_refused(params, {"layer 9, head 9", "the model has 2 text layers of 2 heads"});
  params.dtw_aheads = {0, heads.data()};
  expect_refused(params, {"names none"});
  params.dtw_aheads = {2, nullptr};
  expect_refused(params, {"names none"});
}

}  // namespace
}  // namespace speech::testing
