// Transcription of a file that is read as it is needed: what comes out is what the samples in memory give.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "audio/wav_writer.h"
#include "base/temporary_file.h"
#include "capi/loaded.h"
#include "vad/synthetic_silero.h"

namespace speech::testing {
namespace {

struct FreeAudio {
  void operator()(whisper_ext_audio* audio) const { whisper_ext_audio_free(audio); }
};
using AudioPointer = std::unique_ptr<whisper_ext_audio, FreeAudio>;

std::vector<std::byte> image_of(const std::vector<float>& samples) {
  return test::wav_image(test::Format{.tag = 3, .bits = 32}, test::float_bytes(samples));
}

struct Line {
  std::string text;
  std::int64_t t0;
  std::int64_t t1;
  std::vector<whisper_token> tokens;
  std::vector<std::int64_t> times;
  bool operator==(const Line&) const = default;
};

std::vector<Line> result(whisper_context* context) {
  std::vector<Line> lines;
  for (int i = 0; i < whisper_full_n_segments(context); ++i) {
    Line line{whisper_full_get_segment_text(context, i),
              whisper_full_get_segment_t0(context, i),
              whisper_full_get_segment_t1(context, i),
              {},
              {}};
    for (int j = 0; j < whisper_full_n_tokens(context, i); ++j) {
      const whisper_token_data data = whisper_full_get_token_data(context, i, j);
      line.tokens.push_back(data.id);
      line.times.insert(line.times.end(), {data.t0, data.t1});
    }
    lines.push_back(line);
  }
  return lines;
}

TEST(FullAudio, GivesWhatTheSamplesGive) {
  const std::vector<float> samples = made_up_audio(40 * 16000);
  const TemporaryFile file("file-test.wav", image_of(samples));
  const TemporaryFile silero("file-test-vad.bin", synthetic_silero(20.0F).bytes);
  const std::string silero_path = silero.path();
  const AudioPointer audio(whisper_ext_audio_open(file.path().c_str()));
  ASSERT_NE(audio, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(whisper_ext_audio_samples(audio.get()), nullptr);
  EXPECT_EQ(whisper_ext_audio_n_samples(audio.get()), static_cast<std::int64_t>(samples.size()));
  EXPECT_EQ(whisper_ext_audio_format_of(audio.get()).bits_per_sample, 32);
  const ContextPointer context = load();
  const auto compare = [&](const char* what, const whisper_full_params& params, int n_parts) {
    whisper_ext_options options = whisper_ext_default_options();
    options.n_parts = n_parts;
    ASSERT_EQ(
        whisper_ext_full(context.get(), nullptr, params, &options, samples.data(), static_cast<int>(samples.size())), 0)
        << what << ": " << whisper_ext_last_error();
    const std::vector<Line> expected = result(context.get());
    EXPECT_FALSE(expected.empty()) << what;
    ASSERT_EQ(whisper_ext_full_audio(context.get(), nullptr, params, &options, audio.get()), 0)
        << what << ": " << whisper_ext_last_error();
    EXPECT_EQ(result(context.get()), expected) << what;
  };
  whisper_full_params params = short_params();
  compare("plain", params, 1);
  params.token_timestamps = true;
  params.offset_ms = 1500;
  params.duration_ms = 20000;
  compare("times and an excerpt", params, 1);
  params.vad = true;
  params.vad_model_path = silero_path.c_str();
  compare("speech of an excerpt", params, 1);
  params.offset_ms = params.duration_ms = 0;
  compare("speech in parts", params, 2);
}

TEST(FullAudio, LeavesNoFeaturesAndAContextThatWorks) {
  const std::vector<float> samples = made_up_audio(2 * 16000);
  const TemporaryFile file("file-test-2.wav", image_of(samples));
  const ContextPointer context = load();
  const AudioPointer audio(whisper_ext_audio_open(file.path().c_str()));
  ASSERT_EQ(whisper_ext_full_audio(context.get(), nullptr, short_params(), nullptr, audio.get()), 0);
  const std::vector<Line> first = result(context.get());
  EXPECT_EQ(whisper_n_len(context.get()), 0);
  EXPECT_EQ(whisper_encode(context.get(), 0, 1), -1);
  ASSERT_EQ(transcribe(context.get(), short_params(), samples), 0);
  EXPECT_EQ(result(context.get()), first);
  const AudioPointer in_memory(whisper_ext_audio_from_file(file.path().c_str()));
  ASSERT_EQ(whisper_ext_full_audio(context.get(), nullptr, short_params(), nullptr, in_memory.get()), 0);
  EXPECT_EQ(result(context.get()), first);
}

TEST(FullAudio, RefusesWhatIsNoRecordingByName) {
  const auto refused = [&](const char* path, int error, const char* words) {
    whisper_ext_clear_error();
    EXPECT_EQ(whisper_ext_audio_open(path), nullptr) << words;
    EXPECT_EQ(whisper_ext_last_error_code(), error) << words;
    EXPECT_NE(std::string(whisper_ext_last_error()).find(words), std::string::npos) << whisper_ext_last_error();
  };
  refused(nullptr, WHISPER_EXT_INVALID_ARGUMENT, "path");
  refused("/nowhere/talk.wav", WHISPER_EXT_NOT_FOUND, "/nowhere/talk.wav");
  const TemporaryFile page("file-test-3.wav", test::bytes_of("<!DOCTYPE html><html></html>"));
  refused(page.path().c_str(), WHISPER_EXT_BAD_FORMAT, "HTML");
  const ContextPointer context = load();
  EXPECT_EQ(whisper_ext_full_audio(context.get(), nullptr, short_params(), nullptr, nullptr), -2);
  EXPECT_EQ(whisper_ext_full_audio(nullptr, nullptr, short_params(), nullptr, nullptr), -1);
}

// A recording of three windows that is cut once its first window is about to be encoded.
struct CutFile {
  std::string path;
  int n_windows = 0;

  static bool before_window(whisper_context*, whisper_state*, void* self) {
    auto& file = *static_cast<CutFile*>(self);
    if (++file.n_windows == 1) {
      std::filesystem::resize_file(file.path, 1000);
    }
    return true;
  }
};

TEST(FullAudio, LeavesNothingOfAFileThatFailsInAWindow) {
  const std::vector<float> samples = made_up_audio(70 * 16000);
  const ContextPointer context = load();
  for (const int n_parts : {1, 2}) {
    const TemporaryFile file("file-test-5.wav", image_of(samples));
    const AudioPointer audio(whisper_ext_audio_open(file.path().c_str()));
    CutFile cut{file.path()};
    whisper_full_params params = short_params();
    params.encoder_begin_callback = CutFile::before_window;
    params.encoder_begin_callback_user_data = &cut;
    whisper_ext_options options = whisper_ext_default_options();
    options.n_parts = n_parts;
    EXPECT_NE(whisper_ext_full_audio(context.get(), nullptr, params, &options, audio.get()), 0) << n_parts;
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_IO) << n_parts;
    EXPECT_EQ(whisper_n_len(context.get()), 0) << n_parts;
  }
  EXPECT_EQ(transcribe(context.get(), short_params(), samples), 0);
}

TEST(FullAudio, StopsWhereverItReads) {
  const std::vector<float> samples = made_up_audio(40 * 16000);
  const TemporaryFile file("file-test-6.wav", image_of(samples));
  const AudioPointer audio(whisper_ext_audio_open(file.path().c_str()));
  const ContextPointer context = load();
  whisper_full_params params = short_params();
  params.token_timestamps = true;
  struct Questions {
    int n = 0;
    int last = 0;
  } questions;
  params.abort_callback = [](void* self) {
    auto& asked = *static_cast<Questions*>(self);
    return ++asked.n == asked.last;
  };
  params.abort_callback_user_data = &questions;
  // Each of the first questions, whoever asks it, ends the call.
  for (int last = 1; last <= 12; ++last) {
    questions = {0, last};
    EXPECT_NE(whisper_ext_full_audio(context.get(), nullptr, params, nullptr, audio.get()), 0) << last;
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_CANCELLED) << last;
    EXPECT_EQ(questions.n, last);
    EXPECT_EQ(whisper_n_len(context.get()), 0) << last;
  }
}

TEST(FullAudio, SaysThatItsFileHasBecomeShorter) {
  const std::vector<float> samples = made_up_audio(40 * 16000);
  const TemporaryFile file("file-test-4.wav", image_of(samples));
  const AudioPointer audio(whisper_ext_audio_open(file.path().c_str()));
  std::filesystem::resize_file(file.path(), 100000);
  const ContextPointer context = load();
  EXPECT_EQ(whisper_ext_full_audio(context.get(), nullptr, short_params(), nullptr, audio.get()), -2);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_IO);
  EXPECT_NE(std::string(whisper_ext_last_error()).find("has become shorter"), std::string::npos);
  EXPECT_EQ(transcribe(context.get(), short_params(), samples), 0);
}

}  // namespace
}  // namespace speech::testing
