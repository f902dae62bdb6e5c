// A state of its own gives what the context's own state gives, function by function; and what a model says of itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/temporary_file.h"
#include "capi/loaded.h"
#include "vad/synthetic_silero.h"

namespace speech::testing {
namespace {

SyntheticSpec multilingual() {
  SyntheticSpec spec;
  spec.n_vocab = 51865;
  return spec;
}

class States : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ctx_ = load(multilingual()).release(); }
  static void TearDownTestSuite() { whisper_free(ctx_); }
  void SetUp() override { state_.reset(whisper_init_state(ctx_)); }

  static whisper_context* ctx_;
  StatePointer state_;
};

whisper_context* States::ctx_ = nullptr;

TEST_F(States, TakeTheStepsThatTheContextTakes) {
  const std::vector<float> samples = made_up_audio(16000);
  const auto n = static_cast<int>(samples.size());
  whisper_state* state = state_.get();
  const whisper_token tokens[] = {whisper_token_sot(ctx_), whisper_token_lang(ctx_, 0), whisper_token_transcribe(ctx_)};
  EXPECT_EQ(whisper_get_logits_from_state(state), nullptr);
  ASSERT_EQ(whisper_pcm_to_mel(ctx_, samples.data(), n, 1), 0);
  ASSERT_EQ(whisper_pcm_to_mel_with_state(ctx_, state, samples.data(), n, 1), 0);
  EXPECT_EQ(whisper_n_len_from_state(state), whisper_n_len(ctx_));
  EXPECT_EQ(whisper_lang_auto_detect_with_state(ctx_, state, 0, 1, nullptr),
            whisper_lang_auto_detect(ctx_, 0, 1, nullptr));
  ASSERT_EQ(whisper_encode(ctx_, 0, 1), 0);
  ASSERT_EQ(whisper_encode_with_state(ctx_, state, 0, 1), 0);
  ASSERT_EQ(whisper_decode(ctx_, tokens, 3, 0, 1), 0);
  ASSERT_EQ(whisper_decode_with_state(ctx_, state, tokens, 3, 0, 1), 0);
  const float* expected = whisper_get_logits(ctx_);
  EXPECT_TRUE(std::equal(expected, expected + whisper_n_vocab(ctx_), whisper_get_logits_from_state(state)));

  const std::vector<float> mel(80 * 50, 0.5F);
  EXPECT_EQ(whisper_set_mel_with_state(ctx_, state, mel.data(), 50, 80), 0);
  EXPECT_EQ(whisper_n_len_from_state(state), 50);
  EXPECT_EQ(whisper_ctx_init_openvino_encoder_with_state(ctx_, state, nullptr, "CPU", nullptr), 1);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_UNSUPPORTED);
}

/// Says stop from the nth question on.
struct StopAt {
  int n = 0;
  int n_asked = 0;

  static bool ask(void* self) {
    auto& stop = *static_cast<StopAt*>(self);
    return ++stop.n_asked >= stop.n;
  }
};

TEST_F(States, StepsEndAtTheNextOperationAfterAStop) {
  const std::vector<float> samples = made_up_audio(16000);
  const auto n = static_cast<int>(samples.size());
  whisper_state* state = state_.get();
  const whisper_token tokens[] = {whisper_token_sot(ctx_), whisper_token_lang(ctx_, 0), whisper_token_transcribe(ctx_)};
  const std::function<bool()> steps[] = {
      [&] { return whisper_pcm_to_mel_with_state(ctx_, state, samples.data(), n, 1) == 0; },
      [&] { return whisper_lang_auto_detect_with_state(ctx_, state, 0, 1, nullptr) >= 0; },
      [&] { return whisper_encode_with_state(ctx_, state, 0, 1) == 0; },
      [&] { return whisper_decode_with_state(ctx_, state, tokens, 3, 0, 1) == 0; }};
  for (const auto& step : steps) {
    StopAt never{std::numeric_limits<int>::max()};
    ASSERT_TRUE(whisper_ext_set_abort(ctx_, state, &StopAt::ask, &never));
    ASSERT_TRUE(step()) << whisper_ext_last_error();
    ASSERT_GE(never.n_asked, 1);
    for (const int at : {1, (never.n_asked + 1) / 2}) {
      // Detection takes the features as they are, and encodes anew.
      ASSERT_TRUE(whisper_ext_set_abort(ctx_, state, nullptr, nullptr));
      ASSERT_TRUE(steps[0]());
      ASSERT_TRUE(steps[2]());
      ASSERT_TRUE(&step != &steps[1] || steps[0]());
      StopAt stop{at};
      ASSERT_TRUE(whisper_ext_set_abort(ctx_, state, &StopAt::ask, &stop));
      EXPECT_FALSE(step());
      EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_CANCELLED) << whisper_ext_last_error();
      EXPECT_LE(stop.n_asked, at + 1);
    }
    ASSERT_TRUE(whisper_ext_set_abort(ctx_, state, nullptr, nullptr));
    ASSERT_TRUE(steps[0]());
    ASSERT_TRUE(steps[2]());
    EXPECT_TRUE(step()) << whisper_ext_last_error();
  }
  EXPECT_FALSE(whisper_ext_set_abort(nullptr, state, nullptr, nullptr));
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
}

TEST_F(States, HaveTheResultsThatTheContextHas) {
  const TemporaryFile silero("states-test.bin", synthetic_silero(20.0F).bytes);
  const std::string path = silero.path();
  whisper_full_params params = short_params();
  params.token_timestamps = true;
  params.vad = true;
  params.vad_model_path = path.c_str();
  const std::vector<float> samples = made_up_audio(32000);
  whisper_state* state = state_.get();
  ASSERT_EQ(whisper_full(ctx_, params, samples.data(), 32000), 0) << whisper_ext_last_error();
  ASSERT_EQ(whisper_full_with_state(ctx_, state, params, samples.data(), 32000), 0);

  EXPECT_EQ(whisper_full_lang_id_from_state(state), whisper_full_lang_id(ctx_));
  EXPECT_EQ(whisper_ext_full_lang_probability_from_state(state), whisper_ext_full_lang_probability(ctx_));
  EXPECT_EQ(whisper_ext_get_stats_from_state(ctx_, state).n_encode, 1);
  ASSERT_EQ(whisper_full_n_vad_segments_from_state(state), 1);
  EXPECT_EQ(whisper_full_get_vad_segment_t0_from_state(state, 0), whisper_full_get_vad_segment_t0(ctx_, 0));
  EXPECT_EQ(whisper_full_get_vad_segment_t1_from_state(state, 0), whisper_full_get_vad_segment_t1(ctx_, 0));
  ASSERT_GT(whisper_full_n_segments_from_state(state), 0);
  ASSERT_EQ(whisper_full_n_segments_from_state(state), whisper_full_n_segments(ctx_));
  for (int i = 0; i < whisper_full_n_segments(ctx_); ++i) {
    EXPECT_STREQ(whisper_full_get_segment_text_from_state(state, i), whisper_full_get_segment_text(ctx_, i));
    EXPECT_EQ(whisper_full_get_segment_t0_from_state(state, i), whisper_full_get_segment_t0(ctx_, i));
    EXPECT_EQ(whisper_full_get_segment_t1_from_state(state, i), whisper_full_get_segment_t1(ctx_, i));
    EXPECT_FALSE(whisper_full_get_segment_speaker_turn_next(ctx_, i));
    EXPECT_FALSE(whisper_full_get_segment_speaker_turn_next_from_state(state, i));
    const float no_speech = whisper_full_get_segment_no_speech_prob(ctx_, i);
    EXPECT_TRUE(no_speech >= 0 && no_speech <= 1) << no_speech;
    EXPECT_EQ(whisper_full_get_segment_no_speech_prob_from_state(state, i), no_speech);
    ASSERT_EQ(whisper_full_n_tokens_from_state(state, i), whisper_full_n_tokens(ctx_, i));
    for (int j = 0; j < whisper_full_n_tokens(ctx_, i); ++j) {
      const whisper_token_data data = whisper_full_get_token_data(ctx_, i, j);
      const whisper_token_data same = whisper_full_get_token_data_from_state(state, i, j);
      EXPECT_EQ(data.id, same.id);
      EXPECT_EQ(whisper_full_get_token_id_from_state(state, i, j), data.id);
      EXPECT_STREQ(whisper_full_get_token_text_from_state(ctx_, state, i, j), whisper_full_get_token_text(ctx_, i, j));
      EXPECT_EQ(whisper_full_get_token_p(ctx_, i, j), data.p);
      EXPECT_EQ(whisper_full_get_token_p_from_state(state, i, j), data.p);
      EXPECT_EQ(whisper_full_get_token_t0(ctx_, i, j), data.t0);
      EXPECT_EQ(whisper_full_get_token_t0_from_state(state, i, j), data.t0);
      EXPECT_EQ(whisper_full_get_token_t1(ctx_, i, j), data.t1);
      EXPECT_EQ(whisper_full_get_token_t1_from_state(state, i, j), data.t1);
    }
  }
}

TEST_F(States, ModelsSayTheSizesOfTheirFile) {
  const SyntheticSpec spec = multilingual();
  EXPECT_EQ(whisper_model_n_vocab(ctx_), spec.n_vocab);
  EXPECT_EQ(whisper_n_audio_ctx(ctx_), spec.n_audio_ctx);
  EXPECT_EQ(whisper_model_n_audio_ctx(ctx_), spec.n_audio_ctx);
  EXPECT_EQ(whisper_model_n_audio_head(ctx_), spec.heads);
  EXPECT_EQ(whisper_model_n_audio_layer(ctx_), spec.n_audio_layer);
  EXPECT_EQ(whisper_model_n_text_ctx(ctx_), spec.n_text_ctx);
  EXPECT_EQ(whisper_model_n_text_state(ctx_), spec.width);
  EXPECT_EQ(whisper_model_n_text_head(ctx_), spec.heads);
  EXPECT_EQ(whisper_model_n_text_layer(ctx_), spec.n_text_layer);
  EXPECT_EQ(whisper_model_ftype(ctx_), 1) << "F16";
  EXPECT_EQ(whisper_model_type(ctx_), 0) << "of no published size";
}

TEST_F(States, SpecialTokensAreThePublishedOnes) {
  EXPECT_EQ(whisper_token_eot(ctx_), 50257);
  EXPECT_EQ(whisper_token_sot(ctx_), 50258);
  EXPECT_EQ(whisper_token_translate(ctx_), 50358);
  EXPECT_EQ(whisper_token_transcribe(ctx_), 50359);
  EXPECT_EQ(whisper_token_solm(ctx_), 50360);
  EXPECT_EQ(whisper_token_prev(ctx_), 50361);
  EXPECT_EQ(whisper_token_nosp(ctx_), 50362);
  EXPECT_EQ(whisper_token_not(ctx_), 50363);
  EXPECT_EQ(whisper_token_beg(ctx_), 50364);
}

TEST_F(States, VersionAndKernelsAreNamed) {
  EXPECT_STREQ(whisper_version(), "1.9.1");
  EXPECT_GT(std::string(whisper_ext_kernel_table()).size(), 2U);
}

TEST_F(States, OptionsThatOnlyPrintChangeNothing) {
  const std::vector<float> samples = made_up_audio(16000);
  ASSERT_EQ(transcribe(ctx_, short_params(), samples), 0);
  const std::vector<whisper_token> expected = result_tokens(ctx_);
  whisper_full_params params = short_params();
  params.print_progress = true;
  params.print_realtime = true;
  params.print_timestamps = true;
  params.debug_mode = true;
  ::testing::internal::CaptureStdout();
  ASSERT_EQ(transcribe(ctx_, params, samples), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(result_tokens(ctx_), expected);
}

/// Transcribes with one symbol and one turn made most probable before the rules are applied; what is chosen.
whisper_token first_token(whisper_context* ctx, whisper_full_params params, whisper_token wanted) {
  params.no_timestamps = true;
  params.suppress_blank = false;
  params.logits_filter_callback = [](whisper_context* model, whisper_state*, const whisper_token_data*, int n_tokens,
                                     float* logits, void* data) {
    // A masked token stays masked.
    logits[n_tokens == 0 ? *static_cast<whisper_token*>(data) : whisper_token_eot(model)] += 1000;
  };
  params.logits_filter_callback_user_data = &wanted;
  EXPECT_EQ(transcribe(ctx, params, made_up_audio(8000)), 0) << whisper_ext_last_error();
  return whisper_full_get_token_id(ctx, 0, 0);
}

TEST_F(States, SpeakerTurnsAreChosenOnlyWhenAskedFor) {
  whisper_full_params params = short_params();
  params.print_special = true;
  EXPECT_NE(first_token(ctx_, params, whisper_token_solm(ctx_)), whisper_token_solm(ctx_));
  params.tdrz_enable = true;
  EXPECT_EQ(first_token(ctx_, params, whisper_token_solm(ctx_)), whisper_token_solm(ctx_));
}

TEST_F(States, SymbolsAreChosenUnlessTheyAreSuppressed) {
  whisper_token note = 0;
  ASSERT_EQ(whisper_tokenize(ctx_, "[", &note, 1), 1);
  whisper_full_params params = short_params();
  EXPECT_EQ(first_token(ctx_, params, note), note);
  params.suppress_nst = true;
  EXPECT_NE(first_token(ctx_, params, note), note);
}

TEST(ContextParameters, OfMemoryAndDevicesAreAcceptedAndChangeNothing) {
  SyntheticModel model = synthetic_model({});
  whisper_context_params params = whisper_context_default_params();
  params.gpu_device = 3;
  params.dtw_mem_size = 1;
  const ContextPointer context(whisper_init_from_buffer_with_params(model.bytes.data(), model.bytes.size(), params));
  ASSERT_NE(context, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(4000)), 0);
}

TEST(ContextParameters, ModelsWithoutAStateComeFromFilesAndCallbacksToo) {
  EXPECT_EQ(whisper_init_from_file_with_params_no_state("/nowhere/model.bin", whisper_context_default_params()),
            nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);
  EXPECT_EQ(whisper_init_with_params_no_state(nullptr, whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace speech::testing
