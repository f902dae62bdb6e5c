// whisper.h's voice activity detection: its errors, its stream and its times.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "vad/made_up_sound.h"
#include "vad/synthetic_silero.h"
#include "whisper_ext.h"

namespace speech::testing {
namespace {

struct FreeVad {
  void operator()(whisper_vad_context* context) const { whisper_vad_free(context); }
};
struct FreeSegments {
  void operator()(whisper_vad_segments* segments) const { whisper_vad_free_segments(segments); }
};
using VadPointer = std::unique_ptr<whisper_vad_context, FreeVad>;
using SegmentsPointer = std::unique_ptr<whisper_vad_segments, FreeSegments>;

struct Bytes {
  std::vector<std::byte> data;
  std::size_t offset = 0;
  int n_closed = 0;
};

whisper_model_loader loader_of(Bytes& bytes) {
  whisper_model_loader loader = {};
  loader.context = &bytes;
  loader.read = [](void* context, void* out, std::size_t n) {
    auto* b = static_cast<Bytes*>(context);
    const std::size_t n_given = std::min(n, b->data.size() - b->offset);
    if (n_given > 0) {
      std::memcpy(out, b->data.data() + b->offset, n_given);
    }
    b->offset += n_given;
    return n_given;
  };
  loader.close = [](void* context) { ++static_cast<Bytes*>(context)->n_closed; };
  return loader;
}

/// final_bias: 20 makes everything speech, -20 nothing.
VadPointer load_vad(float final_bias = 0.0F) {
  Bytes bytes{synthetic_silero(final_bias).bytes};
  whisper_model_loader loader = loader_of(bytes);
  VadPointer vad(whisper_vad_init_with_params(&loader, whisper_vad_default_context_params()));
  EXPECT_NE(vad, nullptr) << whisper_ext_last_error();
  return vad;
}

std::vector<float> probabilities(whisper_vad_context* vad) {
  const float* first = whisper_vad_probs(vad);
  return {first, first + whisper_vad_n_probs(vad)};
}

void expect_error(int code, const std::vector<std::string>& parts) {
  EXPECT_EQ(whisper_ext_last_error_code(), code) << whisper_ext_last_error();
  const std::string message = whisper_ext_last_error();
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
  }
}

TEST(Vad, DefaultsAreThoseOfTheInterface) {
  const whisper_vad_params params = whisper_vad_default_params();
  EXPECT_EQ(params.threshold, 0.5F);
  EXPECT_EQ(params.min_speech_duration_ms, 250);
  EXPECT_EQ(params.min_silence_duration_ms, 100);
  EXPECT_EQ(params.max_speech_duration_s, std::numeric_limits<float>::max());
  EXPECT_EQ(params.speech_pad_ms, 30);
  EXPECT_EQ(params.samples_overlap, 0.1F);
  const whisper_vad_context_params context = whisper_vad_default_context_params();
  EXPECT_EQ(context.n_threads, 4);
  EXPECT_FALSE(context.use_gpu);
  EXPECT_EQ(context.gpu_device, 0);
}

TEST(Vad, AModelIsLoadedFromAFile) {
  const std::string path = ::testing::TempDir() + "made_up_silero.bin";
  const SyntheticSilero model = synthetic_silero();
  std::FILE* file = std::fopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  std::fwrite(model.bytes.data(), 1, model.bytes.size(), file);
  std::fclose(file);
  const VadPointer vad(whisper_vad_init_from_file_with_params(path.c_str(), whisper_vad_default_context_params()));
  EXPECT_NE(vad, nullptr) << whisper_ext_last_error();
  std::remove(path.c_str());
}

TEST(Vad, ALoaderIsClosedOnceWhateverHappens) {
  Bytes bytes{synthetic_silero().bytes};
  bytes.data.resize(bytes.data.size() / 2);
  whisper_model_loader loader = loader_of(bytes);
  EXPECT_EQ(whisper_vad_init_with_params(&loader, whisper_vad_default_context_params()), nullptr);
  expect_error(WHISPER_EXT_BAD_FORMAT, {"the file ends at byte"});
  EXPECT_EQ(bytes.n_closed, 1);
  loader.read = [](void*, void*, std::size_t) -> std::size_t { throw std::bad_alloc(); };
  EXPECT_EQ(whisper_vad_init_with_params(&loader, whisper_vad_default_context_params()), nullptr);
  expect_error(WHISPER_EXT_OUT_OF_MEMORY, {});
  EXPECT_EQ(bytes.n_closed, 2);
}

TEST(Vad, WhatIsNoModelIsRefused) {
  const whisper_vad_context_params params = whisper_vad_default_context_params();
  EXPECT_EQ(whisper_vad_init_from_file_with_params(nullptr, params), nullptr);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"path_model is null"});
  EXPECT_EQ(whisper_vad_init_from_file_with_params("/nowhere/silero.bin", params), nullptr);
  expect_error(WHISPER_EXT_NOT_FOUND, {"/nowhere/silero.bin"});
  EXPECT_EQ(whisper_vad_init_with_params(nullptr, params), nullptr);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"loader is null"});
  whisper_model_loader empty = {};
  EXPECT_EQ(whisper_vad_init_with_params(&empty, params), nullptr);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"loader->read is null"});
}

TEST(Vad, ThreadCountsOutOfRangeAreRefused) {
  Bytes bytes{synthetic_silero().bytes};
  whisper_vad_context_params params = whisper_vad_default_context_params();
  for (const int n_threads : {-1, 65, 10000}) {
    whisper_model_loader loader = loader_of(bytes);
    params.n_threads = n_threads;
    EXPECT_EQ(whisper_vad_init_with_params(&loader, params), nullptr);
    expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"n_threads is " + std::to_string(n_threads), "expected"});
  }
  for (const int n_threads : {0, 1, 64}) {
    bytes.offset = 0;
    whisper_model_loader loader = loader_of(bytes);
    params.n_threads = n_threads;
    params.use_gpu = true;
    const VadPointer vad(whisper_vad_init_with_params(&loader, params));
    EXPECT_NE(vad, nullptr) << whisper_ext_last_error();
  }
}

TEST(Vad, ThePiecesOfAStreamEqualTheWhole) {
  const VadPointer vad = load_vad();
  const std::vector<float> pcm = made_up_sound(512 * 10);
  ASSERT_TRUE(whisper_vad_detect_speech(vad.get(), pcm.data(), static_cast<int>(pcm.size())));
  const std::vector<float> whole = probabilities(vad.get());
  EXPECT_EQ(whole.size(), 10U);
  whisper_vad_reset_state(vad.get());
  std::vector<float> pieces;
  for (int window = 0; window < 10; ++window) {
    ASSERT_TRUE(whisper_vad_detect_speech_no_reset(vad.get(), pcm.data() + 512L * window, 512));
    ASSERT_EQ(whisper_vad_n_probs(vad.get()), 1);
    pieces.push_back(whisper_vad_probs(vad.get())[0]);
  }
  EXPECT_EQ(pieces, whole);
}

TEST(Vad, ADetectionBeginsAnewUnlessItGoesOn) {
  const VadPointer vad = load_vad();
  const std::vector<float> pcm = made_up_sound(4000);
  ASSERT_TRUE(whisper_vad_detect_speech(vad.get(), pcm.data(), 4000));
  const std::vector<float> first = probabilities(vad.get());
  ASSERT_TRUE(whisper_vad_detect_speech(vad.get(), pcm.data(), 4000));
  EXPECT_EQ(probabilities(vad.get()), first);
  ASSERT_TRUE(whisper_vad_detect_speech_no_reset(vad.get(), pcm.data(), 4000));
  EXPECT_NE(probabilities(vad.get()), first);
}

TEST(Vad, BadSamplesAreRefusedAndLeaveNoResult) {
  const VadPointer vad = load_vad();
  std::vector<float> pcm = made_up_sound(2000);
  const auto detect = [&](whisper_vad_context* context, const float* samples, int n_samples) {
    ASSERT_TRUE(whisper_vad_detect_speech(vad.get(), pcm.data(), 1000));
    EXPECT_FALSE(whisper_vad_detect_speech(context, samples, n_samples));
  };
  detect(nullptr, pcm.data(), 2000);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"vctx is null"});
  detect(vad.get(), nullptr, 2000);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"samples is null"});
  EXPECT_EQ(whisper_vad_n_probs(vad.get()), 0);
  detect(vad.get(), pcm.data(), -1);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"n_samples is -1"});
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    pcm[1500] = bad;
    detect(vad.get(), pcm.data(), 2000);
    expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"sample 1500 is "});
    EXPECT_EQ(whisper_vad_n_probs(vad.get()), 0);
  }
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

TEST(Vad, AStopEndsADetectionAtTheNextQuestionAndLeavesNoResult) {
  const VadPointer vad = load_vad();
  const std::vector<float> pcm = made_up_sound(16000 * 10);
  const auto detect = [&] { return whisper_vad_detect_speech(vad.get(), pcm.data(), static_cast<int>(pcm.size())); };
  ASSERT_TRUE(detect());
  const std::vector<float> whole = probabilities(vad.get());
  for (const int n : {1, 2, 5}) {
    StopAt stop{n};
    ASSERT_TRUE(whisper_ext_vad_set_abort(vad.get(), &StopAt::ask, &stop));
    EXPECT_FALSE(detect());
    expect_error(WHISPER_EXT_CANCELLED, {"aborted"});
    EXPECT_EQ(stop.n_asked, n);
    EXPECT_EQ(whisper_vad_n_probs(vad.get()), 0);
    EXPECT_EQ(whisper_vad_segments_from_samples(vad.get(), whisper_vad_default_params(), pcm.data(), 160000), nullptr);
    expect_error(WHISPER_EXT_CANCELLED, {});
  }
  StopAt never{1000};
  ASSERT_TRUE(whisper_ext_vad_set_abort(vad.get(), &StopAt::ask, &never));
  EXPECT_TRUE(detect());
  // About once a second.
  EXPECT_GE(never.n_asked, 9);
  ASSERT_TRUE(whisper_ext_vad_set_abort(vad.get(), nullptr, nullptr));
  const int n_asked = never.n_asked;
  EXPECT_TRUE(detect());
  EXPECT_EQ(never.n_asked, n_asked);
  EXPECT_EQ(probabilities(vad.get()), whole);
}

TEST(Vad, NoSamplesHaveNoProbabilities) {
  const VadPointer vad = load_vad();
  EXPECT_TRUE(whisper_vad_detect_speech(vad.get(), nullptr, 0));
  EXPECT_EQ(whisper_vad_n_probs(vad.get()), 0);
  const SegmentsPointer segments(whisper_vad_segments_from_probs(vad.get(), whisper_vad_default_params()));
  ASSERT_NE(segments, nullptr);
  EXPECT_EQ(whisper_vad_segments_n_segments(segments.get()), 0);
}

TEST(Vad, TimesAreInTenMillisecondsAndInsideTheRecording) {
  const VadPointer vad = load_vad(20.0F);
  // No multiple of a window and none of 10 ms.
  const std::vector<float> pcm = made_up_sound(16000 + 77);
  const SegmentsPointer segments(whisper_vad_segments_from_samples(vad.get(), whisper_vad_default_params(), pcm.data(),
                                                                   static_cast<int>(pcm.size())));
  ASSERT_NE(segments, nullptr) << whisper_ext_last_error();
  ASSERT_EQ(whisper_vad_segments_n_segments(segments.get()), 1);
  EXPECT_EQ(whisper_vad_segments_get_segment_t0(segments.get(), 0), 0.0F);
  EXPECT_FLOAT_EQ(whisper_vad_segments_get_segment_t1(segments.get(), 0), 16077.0F / 160.0F);
}

TEST(Vad, RecordingsOfEveryLengthAroundAWindowAreSafe) {
  const VadPointer vad = load_vad(20.0F);
  for (int n_samples = 0; n_samples < 1100; n_samples += 37) {
    // Exactly as long as said, so that a sanitizer sees a read beyond.
    const std::vector<float> pcm = made_up_sound(static_cast<std::size_t>(n_samples));
    whisper_vad_params params = whisper_vad_default_params();
    params.min_speech_duration_ms = 0;
    params.speech_pad_ms = 1000;
    const SegmentsPointer segments(whisper_vad_segments_from_samples(vad.get(), params, pcm.data(), n_samples));
    ASSERT_NE(segments, nullptr);
    for (int i = 0; i < whisper_vad_segments_n_segments(segments.get()); ++i) {
      EXPECT_LE(whisper_vad_segments_get_segment_t1(segments.get(), i), static_cast<float>(n_samples) / 160.0F);
    }
  }
}

TEST(Vad, IndexesOutsideGiveMinusOneAndAnError) {
  const VadPointer vad = load_vad(20.0F);
  const std::vector<float> pcm = made_up_sound(16000);
  const SegmentsPointer segments(
      whisper_vad_segments_from_samples(vad.get(), whisper_vad_default_params(), pcm.data(), 16000));
  for (const int index : {-1, 1, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_EQ(whisper_vad_segments_get_segment_t0(segments.get(), index), -1.0F);
    expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"i_segment is " + std::to_string(index)});
    EXPECT_EQ(whisper_vad_segments_get_segment_t1(segments.get(), index), -1.0F);
    expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"there are 1 segments"});
  }
}

TEST(Vad, ParametersOutOfRangeAreRefusedByName) {
  const VadPointer vad = load_vad();
  const std::vector<float> pcm = made_up_sound(1000);
  const auto refused = [&](const char* name, auto change) {
    whisper_vad_params params = whisper_vad_default_params();
    change(params);
    EXPECT_EQ(whisper_vad_segments_from_probs(vad.get(), params), nullptr);
    expect_error(WHISPER_EXT_INVALID_ARGUMENT, {std::string(name) + " is ", "expected"});
    EXPECT_EQ(whisper_vad_segments_from_samples(vad.get(), params, pcm.data(), 1000), nullptr);
    expect_error(WHISPER_EXT_INVALID_ARGUMENT, {std::string(name) + " is ", "expected"});
  };
  for (const float value : {-0.1F, 1.1F, std::numeric_limits<float>::quiet_NaN()}) {
    refused("threshold", [value](whisper_vad_params& params) { params.threshold = value; });
  }
  refused("min_speech_duration_ms", [](whisper_vad_params& params) { params.min_speech_duration_ms = -1; });
  refused("min_silence_duration_ms", [](whisper_vad_params& params) { params.min_silence_duration_ms = -1; });
  refused("max_speech_duration_s", [](whisper_vad_params& params) { params.max_speech_duration_s = 0.0F; });
  refused("speech_pad_ms", [](whisper_vad_params& params) { params.speech_pad_ms = -30; });
  refused("samples_overlap", [](whisper_vad_params& params) { params.samples_overlap = -0.1F; });
}

TEST(Vad, NullPointersAreAnswered) {
  EXPECT_EQ(whisper_vad_n_probs(nullptr), 0);
  EXPECT_EQ(whisper_vad_probs(nullptr), nullptr);
  whisper_vad_reset_state(nullptr);
  EXPECT_FALSE(whisper_ext_vad_set_abort(nullptr, nullptr, nullptr));
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"vctx is null"});
  EXPECT_EQ(whisper_vad_segments_from_probs(nullptr, whisper_vad_default_params()), nullptr);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"vctx is null"});
  EXPECT_EQ(whisper_vad_segments_n_segments(nullptr), 0);
  EXPECT_EQ(whisper_vad_segments_get_segment_t0(nullptr, 0), -1.0F);
  expect_error(WHISPER_EXT_INVALID_ARGUMENT, {"segments is null"});
  whisper_vad_free_segments(nullptr);
  whisper_vad_free(nullptr);
}

}  // namespace
}  // namespace speech::testing
