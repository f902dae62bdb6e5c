// Engine::align(): what heads look at, beside the decoder and its cache, through every back-end of the build.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "model/synthetic_model.h"
#include "whisper/engine.h"

namespace speech::testing {
namespace {

SyntheticSpec two_layers() {
  SyntheticSpec spec;
  spec.n_text_layer = 2;
  return spec;
}

std::vector<float> made_up_mel(const SyntheticSpec& spec, int n_frames) {
  std::vector<float> mel(static_cast<std::size_t>(2 * n_frames * spec.n_mels));
  for (std::size_t i = 0; i < mel.size(); ++i) {
    mel[i] = std::sin(0.37F * static_cast<float>(i));
  }
  return mel;
}

/// Over a model that is made once: its words take a while.
std::unique_ptr<Engine> make_engine(const std::string& backend_name) {
  const SyntheticSpec spec = two_layers();
  static const SyntheticModel& model = synthetic_model(spec);
  auto reader = ModelReader::open(memory_source(model.bytes));
  EXPECT_TRUE(reader) << reader.status().message();
  auto factory = backend_factory(backend_name);
  EXPECT_TRUE(factory) << factory.status().message();
  auto weights = load_weights(*reader, *(*factory)().value());
  EXPECT_TRUE(weights) << weights.status().message();
  auto engine = Engine::create(*weights, (*factory)().value(), 2);
  EXPECT_TRUE(engine) << engine.status().message();
  EXPECT_TRUE((*engine)->encode(made_up_mel(spec, spec.n_audio_ctx)));
  return std::move(engine).value();
}

std::vector<float> copy(const Result<std::span<const float>>& values) {
  EXPECT_TRUE(values) << values.status().message();
  return values ? std::vector<float>(values->begin(), values->end()) : std::vector<float>();
}

const std::vector<std::int32_t> kTokens = {50257, 50362, 400, 500, 600, 700, 800, 50256};
const std::vector<AlignmentHead> kHeads = {{0, 1}, {1, 0}, {1, 1}};
constexpr int kFrames = 37;

class AlignmentOn : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(BackEnds, AlignmentOn, ::testing::Values("cpu", "deferred"),
                         [](const auto& instance) { return instance.param; });

TEST_P(AlignmentOn, EveryRowIsADistributionOverTheFrames) {
  const auto engine = make_engine(GetParam());
  const std::vector<float> weights = copy(engine->align(kTokens, kHeads, kFrames));
  ASSERT_EQ(weights.size(), kHeads.size() * kTokens.size() * kFrames);
  for (std::size_t row = 0; row < weights.size() / kFrames; ++row) {
    double sum = 0;
    for (std::size_t t = 0; t < kFrames; ++t) {
      EXPECT_GT(weights[row * kFrames + t], 0.0F);
      sum += static_cast<double>(weights[row * kFrames + t]);
    }
    EXPECT_NEAR(sum, 1.0, 1e-5) << row;  // 37 float terms
  }
}

TEST_P(AlignmentOn, AHeadIsTheSameAloneAndAmongOthers) {
  const auto engine = make_engine(GetParam());
  const std::size_t size = kTokens.size() * kFrames;
  std::vector<float> apart;
  for (const AlignmentHead& head : kHeads) {  // alone first: memory grows afterwards
    const std::vector<float> one = copy(engine->align(kTokens, std::span(&head, 1), kFrames));
    ASSERT_EQ(one.size(), size);
    apart.insert(apart.end(), one.begin(), one.end());
  }
  EXPECT_EQ(copy(engine->align(kTokens, kHeads, kFrames)), apart);
}

TEST_P(AlignmentOn, ATokenDoesNotSeeThoseAfterIt) {
  const auto engine = make_engine(GetParam());
  const std::vector<float> whole = copy(engine->align(kTokens, kHeads, kFrames));
  const std::vector<float> start = copy(engine->align(std::span(kTokens).first(4), kHeads, kFrames));
  // Other kernels than for eight rows may add in another order: F16 keys of the text may round the other way.
  for (std::size_t head = 0; head < kHeads.size(); ++head) {
    for (std::size_t i = 0; i < 4 * kFrames; ++i) {
      EXPECT_NEAR(start[head * 4 * kFrames + i], whole[head * 8 * kFrames + i], 1e-4);
    }
  }
}

TEST_P(AlignmentOn, DecodingGoesOnAsIfNothingHadHappened) {
  const auto engine = make_engine(GetParam());
  const auto undisturbed = make_engine(GetParam());
  const StepToken prompt[] = {{50257, 0, 0, false}, {400, 1, 0, true}};
  const StepToken next = {500, 2, 0, true};
  ASSERT_TRUE(engine->decode(prompt));
  ASSERT_TRUE(undisturbed->decode(prompt));
  ASSERT_TRUE(engine->align(kTokens, kHeads, kFrames));
  EXPECT_EQ(copy(engine->decode(std::span(&next, 1))), copy(undisturbed->decode(std::span(&next, 1))));
}

TEST_P(AlignmentOn, TakesMemoryOnlyWhenAskedFor) {
  const auto engine = make_engine(GetParam());
  const std::size_t before = engine->bytes();
  ASSERT_TRUE(engine->align(kTokens, std::span(kHeads).first(1), kFrames));
  const std::size_t with_one = engine->bytes();
  EXPECT_GT(with_one, before);
  ASSERT_TRUE(engine->align(kTokens, kHeads, kFrames));
  const std::size_t with_all = engine->bytes();
  EXPECT_GT(with_all, with_one);
  for (int repeat = 0; repeat < 3; ++repeat) {
    ASSERT_TRUE(engine->align(kTokens, kHeads, kFrames));
    ASSERT_TRUE(engine->align(kTokens, std::span(kHeads).first(1), kFrames));
  }
  EXPECT_EQ(engine->bytes(), with_all);
}

TEST_P(AlignmentOn, TheLongestTextOfAWindowFits) {
  const SyntheticSpec spec = two_layers();
  const auto engine = make_engine(GetParam());
  const std::vector<std::int32_t> longest(static_cast<std::size_t>(spec.n_text_ctx / 2 + 5), 400);
  EXPECT_EQ(engine->max_alignment_tokens(), spec.n_text_ctx / 2 + 5);
  EXPECT_EQ(copy(engine->align(longest, kHeads, spec.n_audio_ctx)).size(),
            kHeads.size() * longest.size() * static_cast<std::size_t>(spec.n_audio_ctx));
}

TEST_P(AlignmentOn, WhatDoesNotFitIsAnErrorThatNamesIt) {
  const SyntheticSpec spec = two_layers();
  const auto engine = make_engine(GetParam());
  const auto message = [&](std::span<const std::int32_t> tokens, const std::vector<AlignmentHead>& heads,
                           int n_frames) {
    const auto result = engine->align(tokens, heads, n_frames);
    EXPECT_FALSE(result);
    EXPECT_EQ(result.status().code(), Code::kInvalidArgument);
    return result.status().message();
  };
  EXPECT_NE(message({}, kHeads, kFrames).find("0 tokens"), std::string::npos);
  EXPECT_NE(message(std::vector<std::int32_t>(38), kHeads, kFrames).find("38 tokens"), std::string::npos);
  EXPECT_NE(message(kTokens, {}, kFrames).find("0 heads"), std::string::npos);
  EXPECT_NE(message(kTokens, std::vector<AlignmentHead>(33), kFrames).find("33 heads"), std::string::npos);
  EXPECT_NE(message(kTokens, {{2, 0}}, kFrames).find("layer 2"), std::string::npos);
  EXPECT_NE(message(kTokens, {{0, 2}}, kFrames).find("head 2"), std::string::npos);
  EXPECT_NE(message(kTokens, kHeads, 0).find("0 frames"), std::string::npos);
  EXPECT_NE(message(kTokens, kHeads, spec.n_audio_ctx + 1).find("51 frames"), std::string::npos);
}

TEST_P(AlignmentOn, AnAbortStopsIt) {
  const auto engine = make_engine(GetParam());
  engine->stream().set_abort_callback([](void*) { return true; }, nullptr);
  EXPECT_EQ(engine->align(kTokens, kHeads, kFrames).status().code(), Code::kCancelled);
  engine->stream().set_abort_callback(nullptr, nullptr);
  EXPECT_TRUE(engine->align(kTokens, kHeads, kFrames));
}

}  // namespace
}  // namespace speech::testing
