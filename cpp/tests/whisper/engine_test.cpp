// The network on a small made-up model: batches, sequences, thread counts and errors, through every back-end of the
// build.
#include "whisper/engine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "model/synthetic_model.h"

namespace speech::testing {
namespace {

std::unique_ptr<Engine> make_engine(const SyntheticSpec& spec, const std::string& backend_name, int n_sequences = 4) {
  const SyntheticModel& model = synthetic_model(spec);
  auto reader = ModelReader::open(memory_source(model.bytes));
  EXPECT_TRUE(reader) << reader.status().message();
  auto factory = backend_factory(backend_name);
  EXPECT_TRUE(factory) << factory.status().message();
  auto weights = load_weights(*reader, *(*factory)().value());
  EXPECT_TRUE(weights) << weights.status().message();
  auto engine = Engine::create(*weights, (*factory)().value(), n_sequences);
  EXPECT_TRUE(engine) << engine.status().message();
  return std::move(engine).value();
}

std::vector<float> made_up_mel(const SyntheticSpec& spec, int n_frames, float phase = 0) {
  std::vector<float> mel(static_cast<std::size_t>(2 * n_frames * spec.n_mels));
  for (std::size_t i = 0; i < mel.size(); ++i) {
    mel[i] = std::sin(0.37F * static_cast<float>(i) + phase);
  }
  return mel;
}

std::vector<float> copy(const Result<std::span<const float>>& values) {
  EXPECT_TRUE(values) << values.status().message();
  return values ? std::vector<float>(values->begin(), values->end()) : std::vector<float>();
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - b[i]));
  }
  return largest;
}

class EngineOn : public ::testing::TestWithParam<std::string> {};

// A step of several tokens takes other kernels than one of a single token, which add in another order. Logits of the
// made-up models are of order 1: float sums of 64 terms stay within 1e-5 of each other; F16 keys and values may round
// the other way, which is 5e-4 relative of each: 2e-3 holds both with room.
constexpr double kStepTolerance = 2e-3;

TEST_P(EngineOn, APromptAtOnceIsThePromptTokenByToken) {
  const SyntheticSpec spec;
  const auto engine = make_engine(spec, GetParam());
  ASSERT_TRUE(engine->encode(made_up_mel(spec, spec.n_audio_ctx)));
  std::vector<StepToken> prompt;
  for (int i = 0; i < 12; ++i) {
    prompt.push_back({1000 + 7 * i, i, 0, i == 11});
  }
  const std::vector<float> at_once = copy(engine->decode(prompt));
  engine->cache().clear();
  std::vector<float> one_by_one;
  for (StepToken token : prompt) {
    token.wants_logits = true;
    one_by_one = copy(engine->decode(std::span(&token, 1)));
  }
  EXPECT_LE(largest_difference(at_once, one_by_one), kStepTolerance);
}

TEST_P(EngineOn, SequencesInOneStepAreWhatTheyAreAlone) {
  const SyntheticSpec spec;
  const auto engine = make_engine(spec, GetParam());
  ASSERT_TRUE(engine->encode(made_up_mel(spec, spec.n_audio_ctx)));
  const StepToken prompt[] = {{50257, 0, 0, false}, {400, 1, 0, true}};
  ASSERT_TRUE(engine->decode(prompt));
  for (SequenceId s = 1; s < 4; ++s) {
    engine->cache().copy(0, s);
  }
  std::vector<StepToken> step;
  for (SequenceId s = 0; s < 4; ++s) {
    step.push_back({500 + s, 2, s, true});
  }
  const std::vector<float> together = copy(engine->decode(step));
  const auto n_vocab = static_cast<std::size_t>(spec.n_vocab);
  ASSERT_EQ(together.size(), 4 * n_vocab);

  for (SequenceId s = 0; s < 4; ++s) {
    engine->cache().clear();
    ASSERT_TRUE(engine->decode(prompt));
    const StepToken alone = {500 + s, 2, 0, true};
    const std::vector<float> expected = copy(engine->decode(std::span(&alone, 1)));
    const auto row = together.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(s) * n_vocab);
    EXPECT_LE(largest_difference({row, row + static_cast<std::ptrdiff_t>(n_vocab)}, expected), kStepTolerance) << s;
  }
}

TEST_P(EngineOn, ResultsDoNotDependOnTheThreadCount) {
  const SyntheticSpec spec;
  std::vector<std::vector<float>> outputs;
  for (const int n_threads : {1, 2, 3, 4}) {
    const auto engine = make_engine(spec, GetParam());
    engine->stream().set_n_threads(n_threads);
    ASSERT_TRUE(engine->encode(made_up_mel(spec, spec.n_audio_ctx)));
    const StepToken token = {50257, 0, 0, true};
    std::vector<float> output = copy(engine->encoder_output());
    const std::vector<float> logits = copy(engine->decode(std::span(&token, 1)));
    output.insert(output.end(), logits.begin(), logits.end());
    outputs.push_back(std::move(output));
  }
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    EXPECT_EQ(outputs[i], outputs[0]) << "bit for bit";
  }
}

TEST_P(EngineOn, AShortWindowDoesNotSeeTheLongOneBefore) {
  const SyntheticSpec spec;
  const auto used = make_engine(spec, GetParam());
  const auto fresh = make_engine(spec, GetParam());
  const StepToken token = {50257, 0, 0, true};
  ASSERT_TRUE(used->encode(made_up_mel(spec, spec.n_audio_ctx, 1)));
  ASSERT_TRUE(used->encode(made_up_mel(spec, 10)));
  ASSERT_TRUE(fresh->encode(made_up_mel(spec, 10)));
  EXPECT_EQ(copy(used->decode(std::span(&token, 1))), copy(fresh->decode(std::span(&token, 1))));
}

TEST_P(EngineOn, EveryMatrixTypeGivesFiniteLogits) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
                            DType::kQ8_0, DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K}) {
    SyntheticSpec spec;
    spec.matrix_type = dtype;
    spec.width = std::max(spec.width, block_info(dtype).values);
    const auto engine = make_engine(spec, GetParam());
    ASSERT_TRUE(engine->encode(made_up_mel(spec, spec.n_audio_ctx)));
    const StepToken token = {50257, 0, 0, true};
    for (const float value : copy(engine->decode(std::span(&token, 1)))) {
      ASSERT_TRUE(std::isfinite(value)) << dtype_name(dtype);
    }
  }
}

TEST_P(EngineOn, AnAbortStopsAndLeavesAnEngineThatWorksAsNew) {
  const SyntheticSpec spec;
  const auto engine = make_engine(spec, GetParam());
  const std::vector<float> mel = made_up_mel(spec, spec.n_audio_ctx);
  const StepToken token = {50257, 0, 0, true};
  ASSERT_TRUE(engine->encode(mel));
  const std::vector<float> expected = copy(engine->decode(std::span(&token, 1)));

  engine->stream().set_abort_callback([](void*) { return true; }, nullptr);
  EXPECT_EQ(engine->encode(mel).code(), Code::kCancelled);
  EXPECT_FALSE(engine->has_audio());
  engine->stream().set_abort_callback(nullptr, nullptr);
  engine->cache().clear();
  ASSERT_TRUE(engine->encode(mel));
  EXPECT_EQ(copy(engine->decode(std::span(&token, 1))), expected);
}

TEST_P(EngineOn, AFullCacheIsAnErrorNotACrash) {
  const SyntheticSpec spec;
  const auto engine = make_engine(spec, GetParam(), 1);
  ASSERT_TRUE(engine->encode(made_up_mel(spec, spec.n_audio_ctx)));
  std::vector<StepToken> prompt;
  for (int i = 0; i < spec.n_text_ctx; ++i) {
    prompt.push_back({1000, i, 0, i + 1 == spec.n_text_ctx});
  }
  ASSERT_TRUE(engine->decode(prompt));
  const StepToken one_more = {1000, 0, 1, true};
  const auto full = engine->decode(std::span(&one_more, 1));
  ASSERT_FALSE(full);
  EXPECT_NE(full.status().message().find("no room"), std::string::npos);
}

TEST_P(EngineOn, ReservingMoreSequencesMakesRoomForThem) {
  const SyntheticSpec spec;
  const auto engine = make_engine(spec, GetParam(), 1);
  const int before = engine->cache().n_cells();
  ASSERT_TRUE(engine->reserve(8));
  EXPECT_GE(engine->cache().n_cells(), before + 7 * spec.n_text_ctx / 2);
  ASSERT_TRUE(engine->encode(made_up_mel(spec, spec.n_audio_ctx)));
  std::vector<StepToken> step;
  for (SequenceId s = 0; s < 8; ++s) {
    step.push_back({1000, 0, s, true});
  }
  EXPECT_EQ(copy(engine->decode(step)).size(), 8U * static_cast<std::size_t>(spec.n_vocab));
}

INSTANTIATE_TEST_SUITE_P(BackEnds, EngineOn, ::testing::Values("cpu", "deferred"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace speech::testing
