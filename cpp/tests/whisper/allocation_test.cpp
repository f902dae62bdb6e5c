// That decoder steps cost no allocation on the CPU back-end once the first one has been taken.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "backend/allocations.cpp"  // NOLINT(bugprone-suspicious-include): counts in this executable, too
#include "backend/registry.h"
#include "model/synthetic_model.h"
#include "whisper/engine.h"

namespace speech::testing {
namespace {

std::unique_ptr<Engine> make_cpu_engine(const SyntheticSpec& spec, int n_sequences) {
  const SyntheticModel& model = synthetic_model(spec);
  auto reader = ModelReader::open(memory_source(model.bytes));
  EXPECT_TRUE(reader) << reader.status().message();
  auto factory = backend_factory("cpu");
  EXPECT_TRUE(factory) << factory.status().message();
  auto weights = load_weights(*reader, *(*factory)().value());
  EXPECT_TRUE(weights) << weights.status().message();
  auto engine = Engine::create(*weights, (*factory)().value(), n_sequences);
  EXPECT_TRUE(engine) << engine.status().message();
  return std::move(engine).value();
}

TEST(EngineAllocations, StepsAfterTheFirstMakeNone) {
  constexpr int kSequences = 5;
  for (const DType dtype : {DType::kF16, DType::kQ5_0}) {
    SyntheticSpec spec;
    spec.matrix_type = dtype;
    const std::unique_ptr<Engine> engine = make_cpu_engine(spec, kSequences);
    std::vector<float> mel(static_cast<std::size_t>(2 * spec.n_audio_ctx * spec.n_mels));
    for (std::size_t i = 0; i < mel.size(); ++i) {
      mel[i] = std::sin(0.37F * static_cast<float>(i));
    }
    for (const int n_threads : {1, 2}) {
      engine->stream().set_n_threads(n_threads);
      ASSERT_TRUE(engine->encode(mel));
      std::vector<StepToken> prompt;
      for (int i = 0; i < 20; ++i) {
        prompt.push_back({1000 + i, i, 0, i == 19});
      }
      std::vector<StepToken> batch;
      for (SequenceId i = 0; i < kSequences; ++i) {
        batch.push_back({2000 + i, 20, i, true});
      }
      engine->cache().clear();
      ASSERT_TRUE(engine->decode(std::span(prompt).last(1)));  // makes the threads

      // Another prompt, 5 sequences from there in batches, then one alone: no step is of the size of the first one
      // only.
      const std::size_t before = allocations();
      bool is_ok = true;
      engine->cache().clear();
      is_ok = engine->decode(prompt).is_ok() && is_ok;
      for (SequenceId i = 1; i < kSequences; ++i) {
        engine->cache().copy(0, i);
      }
      for (Position position = 20; position < 40; ++position) {
        for (StepToken& token : batch) {
          token.position = position;
        }
        is_ok = engine->decode(batch).is_ok() && is_ok;
      }
      for (Position position = 40; position < spec.n_text_ctx; ++position) {
        batch[0].position = position;
        is_ok = engine->decode(std::span(batch).first(1)).is_ok() && is_ok;
      }
      EXPECT_EQ(allocations() - before, 0U) << dtype_name(dtype) << ", " << n_threads << " threads";
      EXPECT_TRUE(is_ok);
    }
  }
}

}  // namespace
}  // namespace speech::testing
