// Freeing while calls run, memory over many rounds, and what stands beside transcription: capabilities, estimates,
// refused encoders, benchmarks, clocks.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_file.h"
#include "capi/loaded.h"
#include "ggml-cpu.h"

namespace speech::testing {
namespace {

struct Running {
  std::atomic<bool> began = false;
  std::atomic<bool> ended = false;
};

whisper_full_params slow_params(Running& running) {
  whisper_full_params params = short_params();
  params.encoder_begin_callback = [](whisper_context*, whisper_state*, void* data) {
    static_cast<Running*>(data)->began = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    return true;
  };
  params.encoder_begin_callback_user_data = &running;
  return params;
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) {
    std::this_thread::yield();
  }
}

TEST(Freeing, UserReport64AContextWaitsForItsCall) {
  whisper_context* context = load().release();
  const std::vector<float> samples = made_up_audio(16000);
  Running running;
  std::thread call([&] {
    EXPECT_EQ(transcribe(context, slow_params(running), samples), 0);
    running.ended = true;
  });
  wait_for(running.began);
  whisper_free(context);
  call.join();
  EXPECT_TRUE(running.ended);
}

TEST(Freeing, AStateWaitsForItsCall) {
  const ContextPointer context = load();
  whisper_state* state = whisper_init_state(context.get());
  const std::vector<float> samples = made_up_audio(16000);
  Running running;
  std::thread call([&] {
    EXPECT_EQ(whisper_full_with_state(context.get(), state, slow_params(running), samples.data(), 16000), 0);
  });
  wait_for(running.began);
  whisper_free_state(state);
  call.join();
}

TEST(Freeing, FromACallbackOfItsOwnCallDoesNothing) {
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  params.encoder_begin_callback = [](whisper_context* ctx, whisper_state* state, void*) {
    whisper_free(ctx);
    whisper_free_state(state);
    return true;
  };
  EXPECT_EQ(transcribe(context.get(), params, made_up_audio(16000)), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BUSY) << whisper_ext_last_error();
  EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(16000)), 0);
}

TEST(Freeing, NullIsAllowed) {
  whisper_free(nullptr);
  whisper_free_state(nullptr);
  whisper_free_params(nullptr);
  whisper_free_context_params(nullptr);
}

TEST(OlderForms, LoadAsTheNewerOnesWithDefaults) {
  SyntheticModel model = synthetic_model({});
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const ContextPointer with_state(whisper_init_from_buffer(model.bytes.data(), model.bytes.size()));
  const ContextPointer without(whisper_init_from_buffer_no_state(model.bytes.data(), model.bytes.size()));
  EXPECT_EQ(whisper_init_from_file("/nowhere/model.bin"), nullptr);
  EXPECT_EQ(whisper_init_from_file_no_state(nullptr), nullptr);
  EXPECT_EQ(whisper_init(nullptr), nullptr);
  EXPECT_EQ(whisper_init_no_state(nullptr), nullptr);
#pragma GCC diagnostic pop
  ASSERT_NE(with_state, nullptr);
  ASSERT_NE(without, nullptr);
  EXPECT_EQ(transcribe(with_state.get(), short_params(), made_up_audio(4000)), 0);
  EXPECT_EQ(transcribe(without.get(), short_params(), made_up_audio(4000)), -1);
}

// As a caller in C may: any number in an enumeration. To C++ the caller's load is undefined, not what the library does.
#if defined(__GNUC__)
__attribute__((no_sanitize("undefined")))
#endif
bool can_number(int number) {
  whisper_ext_capability capability{};
  std::memcpy(&capability, &number, sizeof capability);
  return whisper_ext_can(capability);
}

TEST(Capabilities, AreToldByName) {
  EXPECT_TRUE(whisper_ext_can(WHISPER_EXT_CAN_BEAM_TOP_K));
  EXPECT_TRUE(whisper_ext_can(WHISPER_EXT_CAN_DTW));
  EXPECT_FALSE(whisper_ext_can(WHISPER_EXT_CAN_OPENVINO));
  EXPECT_TRUE(whisper_ext_can(WHISPER_EXT_CAN_FULL_AUDIO));
  EXPECT_TRUE(whisper_ext_can(WHISPER_EXT_CAN_STATS));
  EXPECT_FALSE(can_number(WHISPER_EXT_CAN_STATS + 1));
  EXPECT_FALSE(can_number(-1));
}

TEST(Capabilities, TheBackendComesWithItsReason) {
  const ContextPointer context = load();
  const std::string backend = whisper_ext_backend_name(context.get());  // "cpu", or what the tests run on
  const char* const named = std::getenv("WSPKIT_BACKEND");
  const bool is_named = named != nullptr && *named != '\0';
  const std::string by_name = ": the environment variable WSPKIT_BACKEND names it";
  EXPECT_EQ(std::string(whisper_ext_backend_reason(context.get())),
            backend + (is_named ? by_name : ": no GPU back-end is built in"));
  SyntheticModel model = synthetic_model({});
  whisper_context_params params = whisper_context_default_params();
  params.use_gpu = false;
  const ContextPointer on_cpu(whisper_init_from_buffer_with_params(model.bytes.data(), model.bytes.size(), params));
  EXPECT_EQ(std::string(whisper_ext_backend_reason(on_cpu.get())),
            backend + (is_named ? by_name : ": use_gpu is false"));
  EXPECT_NE(whisper_ext_backend_reason(nullptr), nullptr);
}

TEST(Capabilities, AnOpenVinoEncoderIsRefusedAndTheContextGoesOn) {
  const ContextPointer context = load();
  EXPECT_EQ(whisper_ctx_init_openvino_encoder(context.get(), nullptr, "CPU", nullptr), 1);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_UNSUPPORTED);
  EXPECT_EQ(whisper_ctx_init_openvino_encoder(nullptr, nullptr, nullptr, nullptr), 1);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(4000)), 0);
}

TEST(Capabilities, ThePhaseVocoderOfOldIsRefused) {
  const ContextPointer context = load();
  const float sample = 0;
  EXPECT_EQ(whisper_pcm_to_mel_phase_vocoder(context.get(), &sample, 1, 1), -1);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_UNSUPPORTED);
  EXPECT_EQ(whisper_pcm_to_mel_phase_vocoder_with_state(context.get(), nullptr, &sample, 1, 1), -1);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
}

TEST(MemoryEstimate, IsWhatLoadingThenTakes) {
  const TemporaryFile file("memory-estimate-test.bin", synthetic_model({}).bytes);
  const std::string path = file.path();
  whisper_ext_memory memory = {};
  ASSERT_TRUE(whisper_ext_estimate_memory(path.c_str(), &memory)) << whisper_ext_last_error();
  const ContextPointer context(whisper_init_from_file_with_params(path.c_str(), whisper_context_default_params()));
  const whisper_ext_stats stats = whisper_ext_get_stats(context.get());
  EXPECT_EQ(memory.weights_bytes, stats.weights_bytes);
  EXPECT_EQ(memory.state_bytes, stats.state_bytes);
  file.remove();

  EXPECT_FALSE(whisper_ext_estimate_memory(path.c_str(), &memory));
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);
  EXPECT_FALSE(whisper_ext_estimate_memory(nullptr, &memory));
  EXPECT_FALSE(whisper_ext_estimate_memory(path.c_str(), nullptr));
}

TEST(Benchmarks, RefuseThreadCountsOutOfRange) {
  for (const int n : {0, -1, 65, 10000}) {
    EXPECT_EQ(whisper_bench_memcpy(n), -1);
    EXPECT_EQ(std::string(whisper_bench_memcpy_str(n)), "");
    EXPECT_EQ(whisper_bench_ggml_mul_mat(n), -1);
    EXPECT_EQ(std::string(whisper_bench_ggml_mul_mat_str(n)), "");
  }
}

TEST(Benchmarks, CopyForEachThreadCount) {
  const std::string report = whisper_bench_memcpy_str(2);
  EXPECT_NE(report.find("( 1 thread)"), std::string::npos) << report;
  EXPECT_NE(report.find("( 2 threads)"), std::string::npos) << report;
}

TEST(Clocks, RunForward) {
  ggml_time_init();
  ggml_backend_load_all();
  ggml_backend_load_all_from_path(nullptr);
  const int64_t before = ggml_time_us();
  EXPECT_GE(ggml_time_us(), before);
  EXPECT_GE(ggml_time_ms(), before / 1000);
}

}  // namespace
}  // namespace speech::testing
