// Loading, freeing, model facts and the step-by-step functions of whisper.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "capi/loaded.h"

namespace speech::testing {
namespace {

struct Bytes {
  std::vector<std::byte> data;
  std::size_t offset = 0;
  int n_closed = 0;
  std::size_t fail_at = SIZE_MAX;
};

whisper_model_loader loader_of(Bytes& bytes) {
  whisper_model_loader loader = {};
  loader.context = &bytes;
  loader.read = [](void* context, void* out, std::size_t n) {
    auto* b = static_cast<Bytes*>(context);
    const std::size_t end = std::min(b->data.size(), b->fail_at);
    const std::size_t n_given = std::min(n, end - std::min(end, b->offset));
    std::memcpy(out, b->data.data() + b->offset, n_given);
    b->offset += n_given;
    return n_given;
  };
  loader.eof = [](void* context) {
    auto* b = static_cast<Bytes*>(context);
    return b->offset >= b->data.size();
  };
  loader.close = [](void* context) { ++static_cast<Bytes*>(context)->n_closed; };
  return loader;
}

TEST(Loading, ThroughCallbacksIsClosedOnce) {
  Bytes bytes{synthetic_model(SyntheticSpec{}).bytes};
  whisper_model_loader loader = loader_of(bytes);
  const ContextPointer context(whisper_init_with_params(&loader, whisper_context_default_params()));
  EXPECT_NE(context, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(bytes.n_closed, 1);
}

TEST(Loading, ACallbackThatEndsEarlyIsAnErrorAndIsClosed) {
  Bytes bytes{synthetic_model(SyntheticSpec{}).bytes};
  bytes.fail_at = bytes.data.size() / 2;
  whisper_model_loader loader = loader_of(bytes);
  EXPECT_EQ(whisper_init_with_params(&loader, whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
  EXPECT_EQ(bytes.n_closed, 1);
}

TEST(Loading, ACallbackThatThrowsIsAnErrorAndIsClosed) {
  Bytes bytes;
  whisper_model_loader loader = loader_of(bytes);
  loader.read = [](void*, void*, std::size_t) -> std::size_t { throw std::bad_alloc(); };
  EXPECT_EQ(whisper_init_with_params(&loader, whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OUT_OF_MEMORY);
  EXPECT_EQ(bytes.n_closed, 1);
}

TEST(Loading, NullsAreErrors) {
  const whisper_context_params params = whisper_context_default_params();
  EXPECT_EQ(whisper_init_from_file_with_params(nullptr, params), nullptr);
  EXPECT_EQ(whisper_init_from_buffer_with_params(nullptr, 10, params), nullptr);
  EXPECT_EQ(whisper_init_with_params(nullptr, params), nullptr);
  EXPECT_EQ(whisper_init_state(nullptr), nullptr);
  whisper_model_loader loader = {};
  EXPECT_EQ(whisper_init_with_params(&loader, params), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  whisper_free(nullptr);
  whisper_free_state(nullptr);
  whisper_free_params(nullptr);
  whisper_free_context_params(nullptr);
}

TEST(Loading, WithoutAStateTheContextsOwnIsMissing) {
  std::vector<std::byte> bytes = synthetic_model(SyntheticSpec{}).bytes;
  const ContextPointer context(
      whisper_init_from_buffer_with_params_no_state(bytes.data(), bytes.size(), whisper_context_default_params()));
  ASSERT_NE(context, nullptr);
  const float sample = 0;
  EXPECT_EQ(whisper_full(context.get(), short_params(), &sample, 1), -1);
  EXPECT_EQ(whisper_get_timings(context.get()), nullptr);
  EXPECT_EQ(whisper_pcm_to_mel(context.get(), &sample, 1, 1), -1);
}

TEST(Loading, AStateOutlivesItsContext) {
  ContextPointer context = load();
  const StatePointer state(whisper_init_state(context.get()));
  context.reset();
  EXPECT_EQ(whisper_full_n_segments_from_state(state.get()), 0);
}

TEST(ModelFacts, AreThoseOfTheFile) {
  SyntheticSpec spec;
  spec.n_vocab = 51866;
  spec.n_mels = 128;
  const ContextPointer context = load(spec);
  EXPECT_EQ(whisper_n_vocab(context.get()), 51866);
  EXPECT_EQ(whisper_model_n_mels(context.get()), 128);
  EXPECT_EQ(whisper_model_n_audio_state(context.get()), spec.width);
  EXPECT_EQ(whisper_n_text_ctx(context.get()), spec.n_text_ctx);
  EXPECT_EQ(whisper_is_multilingual(context.get()), 1);
  EXPECT_EQ(whisper_token_beg(context.get()), 50365);
  EXPECT_EQ(whisper_token_lang(context.get(), 99), 50358);
  EXPECT_EQ(whisper_token_lang(context.get(), 100), -1);
  EXPECT_STREQ(whisper_token_to_str(context.get(), 97), "a");
  EXPECT_EQ(whisper_token_to_str(context.get(), -1), nullptr);
  EXPECT_EQ(whisper_token_to_str(context.get(), 51866), nullptr);
  EXPECT_EQ(whisper_n_vocab(nullptr), 0);
  EXPECT_STREQ(whisper_model_type_readable(context.get()), "unknown");
}

TEST(Languages, ByCodeAndByName) {
  EXPECT_EQ(whisper_lang_max_id(), 99);
  EXPECT_EQ(whisper_lang_id("de"), 2);
  EXPECT_EQ(whisper_lang_id("german"), 2);
  EXPECT_EQ(whisper_lang_id("xx"), -1);
  EXPECT_EQ(whisper_lang_id(nullptr), -1);
  EXPECT_STREQ(whisper_lang_str(2), "de");
  EXPECT_STREQ(whisper_lang_str_full(2), "german");
  EXPECT_EQ(whisper_lang_str(100), nullptr);
  EXPECT_EQ(whisper_lang_str_full(-1), nullptr);
}

TEST(Steps, FeaturesEncoderDecoderLogits) {
  const ContextPointer context = load();
  whisper_context* ctx = context.get();
  const std::vector<float> samples = made_up_audio(16000);
  EXPECT_EQ(whisper_get_logits(ctx), nullptr);
  const whisper_token tokens[] = {whisper_token_sot(ctx), 300, 301};
  EXPECT_EQ(whisper_decode(ctx, tokens, 1, 0, 1), -1) << "nothing is encoded";
  EXPECT_EQ(whisper_encode(ctx, 0, 1), -1) << "no features";
  ASSERT_EQ(whisper_pcm_to_mel(ctx, samples.data(), static_cast<int>(samples.size()), 1), 0);
  EXPECT_EQ(whisper_encode(ctx, -1, 1), -1);
  EXPECT_EQ(whisper_encode(ctx, 1 << 30, 1), -1);
  EXPECT_EQ(whisper_encode(ctx, 0, -1), -1);
  ASSERT_EQ(whisper_encode(ctx, 0, 1), 0);
  ASSERT_EQ(whisper_decode(ctx, tokens, 3, 0, 1), 0);
  const std::vector<float> once(whisper_get_logits(ctx), whisper_get_logits(ctx) + whisper_n_vocab(ctx));

  // The same tokens again from the second position on: what was there is forgotten.
  ASSERT_EQ(whisper_decode(ctx, tokens + 1, 2, 1, 1), 0);
  for (int i = 0; i < whisper_n_vocab(ctx); ++i) {
    ASSERT_NEAR(whisper_get_logits(ctx)[i], once[static_cast<std::size_t>(i)], 2e-3);  // other kernels, F16 keys
  }
}

TEST(Steps, HaveTheWholeTextContextAfterATranscriptionWithManyCandidates) {
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  // The most cells that a transcription can fill: a long prompt, and candidates that all live to the last step.
  const std::string prompt(1000, 'x');
  params.initial_prompt = prompt.c_str();
  params.temperature = 0.4F;
  params.greedy.best_of = 8;
  params.no_timestamps = true;
  params.logits_filter_callback = [](whisper_context* ctx, whisper_state*, const whisper_token_data*, int,
                                     float* logits, void*) {
    std::fill(logits, logits + whisper_n_vocab(ctx), -std::numeric_limits<float>::infinity());
    logits[300] = 0;
  };
  ASSERT_EQ(transcribe(context.get(), params, made_up_audio(16000)), 0);
  ASSERT_EQ(whisper_encode(context.get(), 0, 1), 0);
  const std::vector<whisper_token> tokens(static_cast<std::size_t>(whisper_n_text_ctx(context.get())), 300);
  EXPECT_EQ(whisper_decode(context.get(), tokens.data(), static_cast<int>(tokens.size()), 0, 1), 0)
      << whisper_ext_last_error();
}

TEST(Steps, TokensAndPositionsOutsideAreRefused) {
  const ContextPointer context = load();
  whisper_context* ctx = context.get();
  const std::vector<float> samples = made_up_audio(16000);
  ASSERT_EQ(whisper_pcm_to_mel(ctx, samples.data(), static_cast<int>(samples.size()), 1), 0);
  ASSERT_EQ(whisper_encode(ctx, 0, 1), 0);
  const std::vector<whisper_token> many(100, 300);
  EXPECT_EQ(whisper_decode(ctx, many.data(), 65, 0, 1), -1) << "n_text_ctx is 64";
  EXPECT_EQ(whisper_decode(ctx, many.data(), 1, 64, 1), -1);
  EXPECT_EQ(whisper_decode(ctx, many.data(), 1, -1, 1), -1);
  EXPECT_EQ(whisper_decode(ctx, many.data(), 0, 0, 1), -1);
  EXPECT_EQ(whisper_decode(ctx, nullptr, 1, 0, 1), -1);
  EXPECT_EQ(whisper_decode(ctx, many.data(), 2, 0x7fffffff, 1), -1);
  for (const whisper_token bad : {-1, 51864, 0x7fffffff}) {
    EXPECT_EQ(whisper_decode(ctx, &bad, 1, 0, 1), -1) << bad;
  }
  EXPECT_EQ(whisper_decode(ctx, many.data(), 64, 0, 1), 0);
}

TEST(Steps, FeaturesMadeElsewhere) {
  const ContextPointer context = load();
  const std::vector<float> mel(80 * 100, 0.25F);
  EXPECT_EQ(whisper_set_mel(context.get(), mel.data(), 100, 79), -1);
  EXPECT_EQ(whisper_set_mel(context.get(), mel.data(), -5, 80), -1);
  EXPECT_EQ(whisper_set_mel(context.get(), nullptr, 100, 80), -1);
  ASSERT_EQ(whisper_set_mel(context.get(), mel.data(), 100, 80), 0);
  EXPECT_EQ(whisper_n_len(context.get()), 100);
  EXPECT_EQ(whisper_encode(context.get(), 0, 1), 0);
}

TEST(Steps, NoFeaturesAtAllAreThoseOfSilence) {
  const ContextPointer context = load();
  ASSERT_EQ(whisper_set_mel(context.get(), nullptr, 0, 80), 0) << whisper_ext_last_error();
  EXPECT_EQ(whisper_n_len(context.get()), 0);
  EXPECT_EQ(whisper_encode(context.get(), 1, 1), -1);
  ASSERT_EQ(whisper_encode(context.get(), 0, 1), 0) << whisper_ext_last_error();
  const whisper_token start = whisper_token_sot(context.get());
  ASSERT_EQ(whisper_decode(context.get(), &start, 1, 0, 1), 0);
  const std::vector<float> of_none(whisper_get_logits(context.get()),
                                   whisper_get_logits(context.get()) + whisper_n_vocab(context.get()));
  const std::vector<float> zeros(80 * 100);
  ASSERT_EQ(whisper_set_mel(context.get(), zeros.data(), 100, 80), 0);
  ASSERT_EQ(whisper_encode(context.get(), 0, 1), 0);
  ASSERT_EQ(whisper_decode(context.get(), &start, 1, 0, 1), 0);
  EXPECT_TRUE(std::equal(of_none.begin(), of_none.end(), whisper_get_logits(context.get())));
}

TEST(Steps, EncodingTheSameWindowAgainComputesItAgain) {
  const ContextPointer context = load();
  ASSERT_EQ(whisper_set_mel(context.get(), nullptr, 0, 80), 0);
  ASSERT_EQ(whisper_encode(context.get(), 0, 1), 0);
  ASSERT_EQ(whisper_encode(context.get(), 0, 1), 0);
  EXPECT_EQ(whisper_ext_get_stats(context.get()).n_encode, 2);
}

TEST(Steps, TokenizeSaysHowManyAreNeeded) {
  const ContextPointer context = load();
  const int n = whisper_token_count(context.get(), "abcdef ghijkl");
  ASSERT_GT(n, 1);
  std::vector<whisper_token> tokens(static_cast<std::size_t>(n));
  EXPECT_EQ(whisper_tokenize(context.get(), "abcdef ghijkl", tokens.data(), n - 1), -n);
  EXPECT_EQ(whisper_tokenize(context.get(), "abcdef ghijkl", tokens.data(), n), n);
  std::string text;
  for (const whisper_token token : tokens) {
    text += whisper_token_to_str(context.get(), token);
  }
  EXPECT_EQ(text, "abcdef ghijkl");
  EXPECT_EQ(whisper_tokenize(context.get(), nullptr, tokens.data(), n), 0);
}

TEST(DetectLanguage, GivesProbabilitiesThatSumToOne) {
  SyntheticSpec spec;
  spec.n_vocab = 51865;
  const ContextPointer context = load(spec);
  const std::vector<float> samples = made_up_audio(16000);
  std::vector<float> probabilities(100, -1.0F);
  EXPECT_LT(whisper_lang_auto_detect(context.get(), 0, 1, probabilities.data()), 0) << "no features yet";
  ASSERT_EQ(whisper_pcm_to_mel(context.get(), samples.data(), static_cast<int>(samples.size()), 1), 0);
  EXPECT_LT(whisper_lang_auto_detect(context.get(), -1, 1, probabilities.data()), 0);
  EXPECT_LT(whisper_lang_auto_detect(context.get(), 100'000, 1, probabilities.data()), 0);
  const int best = whisper_lang_auto_detect(context.get(), 0, 1, probabilities.data());
  ASSERT_GE(best, 0);
  double sum = 0;
  for (const float p : probabilities) {
    sum += p;
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);
  EXPECT_EQ(probabilities[99], 0.0F) << "Cantonese came with large-v3";
}

TEST(DetectLanguage, AnEnglishModelCannot) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(16000);
  ASSERT_EQ(whisper_pcm_to_mel(context.get(), samples.data(), static_cast<int>(samples.size()), 1), 0);
  EXPECT_LT(whisper_lang_auto_detect(context.get(), 0, 1, nullptr), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_UNSUPPORTED);
}

TEST(Diagnostics, TimingsCountWhatWasDone) {
  const ContextPointer context = load();
  ASSERT_EQ(transcribe(context.get(), short_params(), made_up_audio(16000)), 0);
  const whisper_ext_stats stats = whisper_ext_get_stats(context.get());
  EXPECT_GE(stats.n_encode, 1);
  EXPECT_GE(stats.n_sample, 1);
  EXPECT_GT(stats.weights_bytes, 51864 * 64 * 2);
  EXPECT_GT(stats.state_bytes, 0);
  whisper_timings* timings = whisper_get_timings(context.get());
  ASSERT_NE(timings, nullptr);
  EXPECT_GT(timings->encode_ms, 0);
  std::free(timings);
  whisper_reset_timings(context.get());
  EXPECT_EQ(whisper_ext_get_stats(context.get()).n_encode, 0);
  EXPECT_STREQ(whisper_ext_backend_name(nullptr), "none");
  EXPECT_NE(std::string(whisper_print_system_info()).find("kernels"), std::string::npos);
}

TEST(Diagnostics, TimingsArePrintedEvenWithoutACallback) {
  const ContextPointer context = load();
  ::testing::internal::CaptureStderr();
  whisper_print_timings(context.get());
  whisper_print_timings(nullptr);
  const std::string printed = ::testing::internal::GetCapturedStderr();
  for (const char* row : {"load", "mel", "sample", "encode", "decode", "batchd", "prompt", "fallbacks"}) {
    EXPECT_NE(printed.find(row), std::string::npos) << printed;
  }
}

TEST(Diagnostics, LogLinesReachTheCallback) {
  std::vector<std::string> lines;
  whisper_log_set([](ggml_log_level, const char* text,
                     void* data) { static_cast<std::vector<std::string>*>(data)->emplace_back(text); },
                  &lines);
  const ContextPointer context = load();
  const float sample = 0;
  EXPECT_EQ(whisper_full(context.get(), short_params(), &sample, -1), -2);
  whisper_log_set(nullptr, nullptr);
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines.back().find("whisper_full"), std::string::npos) << lines.back();
}

TEST(Defaults, OnTheHeapAreThoseByValue) {
  whisper_full_params* full = whisper_full_default_params_by_ref(WHISPER_SAMPLING_GREEDY);
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->greedy.best_of, 5);
  EXPECT_FLOAT_EQ(full->temperature_inc, 0.2F);
  whisper_free_params(full);
  whisper_context_params* context = whisper_context_default_params_by_ref();
  ASSERT_NE(context, nullptr);
  EXPECT_FALSE(context->dtw_token_timestamps);
  whisper_free_context_params(context);
  EXPECT_EQ(whisper_full_default_params(WHISPER_SAMPLING_BEAM_SEARCH).beam_search.beam_size, 5);
}

}  // namespace
}  // namespace speech::testing
