// What users of such libraries have reported about voice activity, threads, leaks and exceptions, each at its smallest
// trigger (docs/user-reports.md). Leaks and reads beyond a buffer are for the sanitizers to see. Made-up weights.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_file.h"
#include "capi/loaded.h"
#include "vad/synthetic_silero.h"

namespace speech::testing {
namespace {

/// Seconds of it are loud by turns: stretches of speech up to the end for a detector that goes by loudness.
std::vector<float> loud_by_turns(std::size_t n_samples) {
  std::vector<float> samples = made_up_audio(n_samples);
  for (std::size_t i = 0; i < n_samples; ++i) {
    samples[i] *= i / 8000 % 2 == 0 ? 1.0F : 0.0F;
  }
  return samples;
}

TEST(ReportsOnVad, UserReport24TimesOfSpeechHaveOneUnit) {
  const TemporaryFile silero("24.bin", synthetic_silero(20.0F).bytes);
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  const std::string path = silero.path();
  params.vad = true;
  params.vad_model_path = path.c_str();
  const std::vector<float> samples = made_up_audio(32000);
  ASSERT_EQ(transcribe(context.get(), params, samples), 0) << whisper_ext_last_error();

  whisper_vad_context* vad = whisper_vad_init_from_file_with_params(path.c_str(), whisper_vad_default_context_params());
  ASSERT_NE(vad, nullptr);
  whisper_vad_segments* segments =
      whisper_vad_segments_from_samples(vad, whisper_vad_default_params(), samples.data(), 32000);
  const int n = whisper_vad_segments_n_segments(segments);
  ASSERT_EQ(whisper_full_n_vad_segments(context.get()), n);
  ASSERT_EQ(n, 1) << "this detector hears speech everywhere";
  // 2 s in units of 10 ms, both ways, and results lie in it.
  EXPECT_EQ(whisper_full_get_vad_segment_t0(context.get(), 0), 0);
  EXPECT_EQ(whisper_full_get_vad_segment_t1(context.get(), 0), 200);
  EXPECT_EQ(whisper_vad_segments_get_segment_t0(segments, 0), 0.0F);
  EXPECT_EQ(whisper_vad_segments_get_segment_t1(segments, 0), 200.0F);
  for (int i = 0; i < whisper_full_n_segments(context.get()); ++i) {
    EXPECT_LE(whisper_full_get_segment_t1(context.get(), i), 200);
  }
  whisper_vad_free_segments(segments);
  whisper_vad_free(vad);
}

TEST(ReportsOnVad, UserReport62ManyStretchesNearAnEndThatIsNoWholeWindowAreSafe) {
  const ContextPointer context = load();
  for (const float bias : {-1.0F, 0.0F, 1.0F, 20.0F}) {
    const TemporaryFile silero("62.bin", synthetic_silero(bias).bytes);
    const std::string path = silero.path();
    whisper_full_params params = short_params();
    params.encoder_begin_callback = [](whisper_context*, whisper_state*, void*) { return false; };
    params.vad = true;
    params.vad_model_path = path.c_str();
    params.vad_params.min_speech_duration_ms = 0;
    params.vad_params.min_silence_duration_ms = 0;
    params.vad_params.speech_pad_ms = 200;
    for (const std::size_t beyond : {0U, 1U, 511U}) {
      const std::size_t n_samples = 512 * 300 + beyond;
      ASSERT_EQ(transcribe(context.get(), params, loud_by_turns(n_samples)), 0) << whisper_ext_last_error();
      for (int i = 0; i < whisper_full_n_vad_segments(context.get()); ++i) {
        EXPECT_LE(whisper_full_get_vad_segment_t1(context.get(), i), static_cast<int64_t>(n_samples / 160 + 1));
      }
    }
  }
}

TEST(ReportsOnLifetime, UserReport61FailedLoadsLeakNothing) {
  std::vector<std::byte> model = synthetic_model({}).bytes;
  model.resize(model.size() / 2);
  std::vector<std::byte> vad = synthetic_silero().bytes;
  vad.resize(vad.size() / 2);
  const TemporaryFile half_model("61.bin", model);
  const TemporaryFile half_vad("61-vad.bin", vad);
  const whisper_vad_context_params vad_params = whisper_vad_default_context_params();
  EXPECT_EQ(whisper_init_from_file_with_params(half_model.path().c_str(), whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_vad_init_from_file_with_params(half_vad.path().c_str(), vad_params), nullptr);
  EXPECT_EQ(whisper_ext_audio_from_file(half_vad.path().c_str()), nullptr);
  EXPECT_EQ(whisper_ext_grammar_parse("root ::= (", nullptr), nullptr);

  const ContextPointer context = load();
  whisper_full_params params = short_params();
  const std::string path = half_vad.path();
  params.vad = true;
  params.vad_model_path = path.c_str();
  EXPECT_EQ(transcribe(context.get(), params, made_up_audio(8000)), -1);
}

TEST(ReportsOnLifetime, UserReport63TwoThreadsOnOneContextWorkOrAreToldThatItIsBusy) {
  const ContextPointer context = load();
  const std::vector<float> samples = made_up_audio(16000);
  std::atomic<int> n_done = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const int code = transcribe(context.get(), short_params(), samples);
        EXPECT_TRUE(code == 0 || code == -9) << code;
        n_done += code == 0 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_GE(n_done, 1);
}

TEST(ReportsOnLifetime, UserReport63TwoContextsWorkAtTheSameTime) {
  const ContextPointer contexts[] = {load(), load()};
  const std::vector<float> samples = made_up_audio(16000);
  std::vector<std::thread> threads;
  for (const ContextPointer& context : contexts) {
    threads.emplace_back([&] { EXPECT_EQ(transcribe(context.get(), short_params(), samples), 0); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(result_tokens(contexts[0].get()), result_tokens(contexts[1].get()));
}

TEST(ReportsOnLifetime, UserReport65FreeingFromACallbackDoesNotWaitForItself) {
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  params.progress_callback = [](whisper_context* ctx, whisper_state*, int, void*) { whisper_free(ctx); };
  EXPECT_EQ(transcribe(context.get(), params, made_up_audio(16000)), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BUSY);
  EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(16000)), 0) << "and the context is whole";
}

TEST(ReportsOnLifetime, UserReport66NoExceptionLeavesTheLibrary) {
  whisper_model_loader loader = {};
  loader.read = [](void*, void*, std::size_t) -> std::size_t { throw std::bad_alloc(); };
  EXPECT_EQ(whisper_init_with_params(&loader, whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OUT_OF_MEMORY);
  EXPECT_EQ(whisper_vad_init_with_params(&loader, whisper_vad_default_context_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OUT_OF_MEMORY);

  const ContextPointer context = load();
  whisper_full_params params = short_params();
  params.progress_callback = [](whisper_context*, whisper_state*, int, void*) { throw std::bad_alloc(); };
  EXPECT_LT(transcribe(context.get(), params, made_up_audio(16000)), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OUT_OF_MEMORY);
  EXPECT_EQ(transcribe(context.get(), short_params(), made_up_audio(16000)), 0) << "works as new";
}

}  // namespace
}  // namespace speech::testing
