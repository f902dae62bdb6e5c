// A GPU chosen by name, and every way back to the CPU, through the C functions: on a GPU that is this machine.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backend/metal/played_gpu.h"
#include "capi/loaded.h"
#include "metal/host_gpu.h"

namespace speech::testing {
namespace {

class MetalChoice : public ::testing::Test {
 protected:
  void TearDown() override { host_gpu() = HostGpu(); }

  static ContextPointer load_on(whisper_ext_backend backend, const SyntheticSpec& spec = {}, int gpu_device = 0) {
    auto& bytes = const_cast<std::vector<std::byte>&>(synthetic_model(spec).bytes);
    whisper_context_params params = whisper_context_default_params();
    params.gpu_device = gpu_device;
    whisper_ext_context_options options = whisper_ext_default_context_options();
    options.backend = backend;
    ContextPointer context(whisper_ext_init_from_buffer(bytes.data(), bytes.size(), params, &options));
    EXPECT_NE(context, nullptr) << whisper_ext_last_error();
    return context;
  }

  static std::string reason(const ContextPointer& context) { return whisper_ext_backend_reason(context.get()); }

  static std::vector<whisper_token> tokens(const ContextPointer& context) {
    whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
    params.print_progress = false;
    params.temperature_inc = 0;
    params.max_tokens = 6;
    const std::vector<float> audio = made_up_audio(16000);
    EXPECT_EQ(whisper_full(context.get(), params, audio.data(), static_cast<int>(audio.size())), 0)
        << whisper_ext_last_error();
    std::vector<whisper_token> found;
    for (int i = 0; i < whisper_full_n_segments(context.get()); ++i) {
      for (int j = 0; j < whisper_full_n_tokens(context.get(), i); ++j) {
        found.push_back(whisper_full_get_token_id(context.get(), i, j));
      }
    }
    return found;
  }
};

TEST_F(MetalChoice, TheGpuComputesWhereItIsThere) {
  EXPECT_TRUE(whisper_ext_can(WHISPER_EXT_CAN_METAL));
  const std::vector<whisper_token> expected = tokens(load_on(WHISPER_EXT_BACKEND_CPU));
  EXPECT_GE(expected.size(), 2U);
  EXPECT_EQ(host_gpu().n_dispatches, 0);
  for (const whisper_ext_backend asked : {WHISPER_EXT_BACKEND_METAL, WHISPER_EXT_BACKEND_AUTO}) {
    const ContextPointer context = load_on(asked);
    EXPECT_STREQ(whisper_ext_backend_name(context.get()), "metal");
    EXPECT_EQ(reason(context), "metal: it is there");
    EXPECT_EQ(tokens(context), expected);
    EXPECT_GT(host_gpu().n_dispatches, 40);
  }
}

TEST_F(MetalChoice, AModelOfAnyTypeIsTaken) {
  SyntheticSpec spec;
  spec.width = 256;
  spec.heads = 4;
  for (const DType type : {DType::kF32, DType::kQ8_0, DType::kQ5_1, DType::kQ4_K}) {
    spec.matrix_type = type;
    EXPECT_STREQ(whisper_ext_backend_name(load_on(WHISPER_EXT_BACKEND_METAL, spec).get()), "metal");
  }
}

TEST_F(MetalChoice, AModelWithWiderHeadsGoesToTheCpu) {
  SyntheticSpec spec;
  spec.width = 256;
  spec.heads = 2;
  const ContextPointer context = load_on(WHISPER_EXT_BACKEND_METAL, spec);
  EXPECT_STREQ(whisper_ext_backend_name(context.get()), "cpu");
  EXPECT_EQ(reason(context).find("cpu: the GPU did not take the model: "), 0U) << reason(context);
  EXPECT_NE(reason(context).find("heads of 128 values"), std::string::npos);
  EXPECT_GT(tokens(context).size(), 0U);
}

TEST_F(MetalChoice, AModelThatDoesNotFitGoesToTheCpu) {
  host_gpu().largest_bytes = 100'000;
  const ContextPointer context = load_on(WHISPER_EXT_BACKEND_AUTO);
  EXPECT_STREQ(whisper_ext_backend_name(context.get()), "cpu");
  EXPECT_NE(reason(context).find("the GPU has no"), std::string::npos) << reason(context);
}

TEST_F(MetalChoice, AnotherGpuNoneOrTooOldAOneIsToldAndTheCpuComputes) {
  const ContextPointer other = load_on(WHISPER_EXT_BACKEND_METAL, {}, 3);
  EXPECT_EQ(reason(other), "cpu: there is no GPU number 3");
  const auto old_gpu = [](int) -> Result<std::shared_ptr<GpuDevice>> {
    return Status(Code::kUnsupported, "the GPU is older than Apple's A14 or M1");
  };
  const auto ours = [](int) -> Result<std::shared_ptr<GpuDevice>> {
    return std::shared_ptr<GpuDevice>(std::shared_ptr<void>(), &host_gpu());
  };
  set_played_gpu(old_gpu);
  const ContextPointer by_cpu = load_on(WHISPER_EXT_BACKEND_METAL);
  EXPECT_EQ(reason(by_cpu), "cpu: the GPU is older than Apple's A14 or M1");
  EXPECT_GT(tokens(by_cpu).size(), 0U);
  set_played_gpu({});
  EXPECT_FALSE(whisper_ext_can(WHISPER_EXT_CAN_METAL));
  EXPECT_EQ(reason(load_on(WHISPER_EXT_BACKEND_METAL)), "cpu: no GPU back-end is built in");
  set_played_gpu(ours);
}

TEST_F(MetalChoice, AGpuThatIsTakenAwayLeavesTheTextAndTheReason) {
  const std::vector<whisper_token> expected = tokens(load_on(WHISPER_EXT_BACKEND_CPU));
  for (const int lost_from : {0, 1, 2}) {
    host_gpu() = HostGpu();
    const ContextPointer context = load_on(WHISPER_EXT_BACKEND_METAL);
    host_gpu().lost_from = lost_from;
    EXPECT_EQ(tokens(context), expected) << lost_from;
    EXPECT_NE(reason(context).find("metal: it is there; it failed 1 time"), std::string::npos) << reason(context);
  }
}

TEST_F(MetalChoice, AModelThroughCallbacksThatDoesNotFitIsAnError) {
  host_gpu().largest_bytes = 100'000;
  struct Place {
    const std::vector<std::byte>& bytes;
    std::size_t at;
  } place{synthetic_model(SyntheticSpec{}).bytes, 0};
  whisper_model_loader loader = {&place,
                                 [](void* data, void* out, std::size_t n) {
                                   auto& from = *static_cast<Place*>(data);
                                   const std::size_t n_read = std::min(n, from.bytes.size() - from.at);
                                   std::memcpy(out, from.bytes.data() + from.at, n_read);
                                   from.at += n_read;
                                   return n_read;
                                 },
                                 [](void*) { return false; }, [](void*) {}};
  EXPECT_EQ(whisper_init_with_params(&loader, whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OUT_OF_MEMORY) << whisper_ext_last_error();
}

// With a real model and real speech: a test only where tests/e2e/test_metal.py names both.
class MetalSpeech : public ::testing::Test {
 public:
  void TestBody() override;
};

const char* given(const char* name) { return std::getenv(name); }

[[maybe_unused]] const bool g_has_speech = [] {
  if (given("WSPKIT_TEST_MODEL") != nullptr) {
    ::testing::RegisterTest("MetalSpeech", "HasTheTokensOfTheCpu", nullptr, nullptr, __FILE__, __LINE__,
                            []() -> ::testing::Test* { return new MetalSpeech; });
  }
  return true;
}();

void MetalSpeech::TestBody() {
  const char* const model = given("WSPKIT_TEST_MODEL");
  const char* const speech = given("WSPKIT_TEST_SPEECH");
  const char* const audio_ctx = given("WSPKIT_TEST_AUDIO_CTX");
  ASSERT_TRUE(speech != nullptr && audio_ctx != nullptr);
  const auto heard = [&](whisper_ext_backend backend) {
    whisper_ext_context_options options = whisper_ext_default_context_options();
    options.backend = backend;
    const ContextPointer context(whisper_ext_init_from_file(model, whisper_context_default_params(), &options));
    EXPECT_NE(context, nullptr) << whisper_ext_last_error();
    whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
    params.print_progress = false;
    params.audio_ctx = std::atoi(audio_ctx);
    whisper_ext_audio* const audio = whisper_ext_audio_from_file(speech);
    EXPECT_EQ(whisper_full(context.get(), params, whisper_ext_audio_samples(audio),
                           static_cast<int>(whisper_ext_audio_n_samples(audio))),
              0)
        << whisper_ext_last_error();
    whisper_ext_audio_free(audio);
    std::string text = whisper_ext_backend_name(context.get());
    for (int i = 0; i < whisper_full_n_segments(context.get()); ++i) {
      text += whisper_full_get_segment_text(context.get(), i);
      for (int j = 0; j < whisper_full_n_tokens(context.get(), i); ++j) {
        text += " " + std::to_string(whisper_full_get_token_id(context.get(), i, j));
      }
    }
    EXPECT_EQ(whisper_ext_backend_reason(context.get()),
              std::string(whisper_ext_backend_name(context.get())) +
                  (backend == WHISPER_EXT_BACKEND_METAL ? ": it is there" : ": it was asked for"));
    return text;
  };
  const std::string by_cpu = heard(WHISPER_EXT_BACKEND_CPU);
  EXPECT_GT(by_cpu.size(), 40U);
  EXPECT_EQ("cpu" + heard(WHISPER_EXT_BACKEND_METAL).substr(5), by_cpu);
  std::printf("%s\n%d dispatches in %d command buffers\n", by_cpu.c_str(), host_gpu().n_dispatches,
              host_gpu().n_committed);
}

}  // namespace
}  // namespace speech::testing
