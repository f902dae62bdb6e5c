// What an app opens and decodes in place of the system: parts of files under names of its own, recordings of other
// formats; and what is said when it cannot.
#include <fcntl.h>

#include <cstdio>
#include <string>

#include "audio/wav_writer.h"
#include "base/temporary_file.h"
#include "capi/loaded.h"
#include "model/synthetic_model.h"
#include "whisper_ext.h"

namespace speech::testing {
namespace {

// An archive of an app: `before` bytes, then one file, then others.
struct Archive {
  std::string path;
  std::int64_t offset = 0;
  std::int64_t n_bytes = -1;
  int n_opened = 0;
};

bool open_asset(const char* path, whisper_ext_opened* opened, char* message, std::size_t n_message, void* user_data) {
  auto& archive = *static_cast<Archive*>(user_data);
  ++archive.n_opened;
  if (std::string(path) == "asset://silent") {
    return false;
  }
  if (std::string(path) != "asset://file") {
    std::snprintf(message, n_message, "there is no asset %s", path);
    return false;
  }
  *opened = {::open(archive.path.c_str(), O_RDONLY), archive.offset, archive.n_bytes};
  return true;
}

class Platform : public ::testing::Test {
 protected:
  void SetUp() override { whisper_ext_clear_error(); }
  void TearDown() override {
    whisper_ext_set_opener(nullptr, nullptr);
    whisper_ext_set_decoder(nullptr, nullptr);
  }

  std::string failure(const char* path) {
    EXPECT_EQ(whisper_ext_audio_from_file(path), nullptr);
    return whisper_ext_last_error();
  }
};

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string second_of_wav() {
  const speech::test::Bytes image =
      wav_image(speech::test::Format{.channels = 1, .rate_hz = 16000},
                speech::test::pcm_bytes(speech::test::sine_16_bit(16000, 500.0, 9000.0), 16));
  return {reinterpret_cast<const char*>(image.data()), image.size()};
}

TEST_F(Platform, APartOfAFileIsReadAsTheWhole) {
  const std::string wav = second_of_wav();
  const TemporaryFile file("archive", bytes_of("archive" + wav + "RIFFRIFF"));
  Archive archive{file.path(), 7, static_cast<std::int64_t>(wav.size())};
  whisper_ext_set_opener(open_asset, &archive);
  whisper_ext_audio* const whole = whisper_ext_audio_from_file("asset://file");
  ASSERT_NE(whole, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(whisper_ext_audio_n_samples(whole), 16000);
  whisper_ext_audio_free(whole);
  whisper_ext_audio* const opened = whisper_ext_audio_open("asset://file");
  ASSERT_NE(opened, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(whisper_ext_audio_n_samples(opened), 16000);
  whisper_ext_audio_free(opened);
  EXPECT_EQ(archive.n_opened, 2);
}

TEST_F(Platform, AModelInAnArchiveIsLoadedFromThere) {
  const std::vector<std::byte>& whole = synthetic_model(SyntheticSpec{}).bytes;
  const std::string model(reinterpret_cast<const char*>(whole.data()), whole.size());
  const TemporaryFile file("archive", bytes_of("archive" + model + "behind"));
  Archive archive{file.path(), 7, static_cast<std::int64_t>(model.size())};
  whisper_ext_set_opener(open_asset, &archive);
  const ContextPointer context(whisper_init_from_file_with_params("asset://file", whisper_context_default_params()));
  ASSERT_NE(context, nullptr) << whisper_ext_last_error();
  whisper_ext_memory memory = {};
  EXPECT_TRUE(whisper_ext_estimate_memory("asset://file", &memory)) << whisper_ext_last_error();
  archive.n_bytes -= 1000;
  EXPECT_EQ(whisper_init_from_file_with_params("asset://file", whisper_context_default_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT) << whisper_ext_last_error();
}

TEST_F(Platform, WhatCannotBeOpenedIsToldInTheAppsWords) {
  Archive archive;
  whisper_ext_set_opener(open_asset, &archive);
  EXPECT_NE(failure("asset://other").find("there is no asset asset://other"), std::string::npos);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);
  EXPECT_NE(failure("asset://silent").find("says no reason"), std::string::npos);
  EXPECT_NE(failure("asset://file").find("says no reason"), std::string::npos);  // no descriptor
}

TEST_F(Platform, APartThatIsNotInTheFileIsRefused) {
  const TemporaryFile file("ten", bytes_of("0123456789"));
  for (const auto& [offset, n_bytes] : {std::pair{-1, 3}, {0, 11}, {8, 3}, {11, -1}, {11, 0}}) {
    Archive archive{file.path(), offset, n_bytes};
    whisper_ext_set_opener(open_asset, &archive);
    EXPECT_NE(failure("asset://file").find("expected a part of a regular file"), std::string::npos) << offset;
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_IO);
  }
}

TEST_F(Platform, PathsAndAddressesOfFilesAreTheSystems) {
  Archive archive;
  whisper_ext_set_opener(open_asset, &archive);
  for (const char* path : {"/nowhere/asset", "asset:file", "file:///nowhere", "://x", "C://x", "a b://x"}) {
    EXPECT_EQ(whisper_ext_audio_from_file(path), nullptr) << path;
  }
  EXPECT_EQ(archive.n_opened, 0);
  whisper_ext_set_opener(nullptr, nullptr);
  EXPECT_EQ(whisper_ext_audio_from_file("asset://file"), nullptr);
  EXPECT_EQ(archive.n_opened, 0);
}

struct Speech {
  std::vector<float> samples;
  const char* refuses = nullptr;
  bool went_on = true;
};

bool decode_speech(const char* /*path*/, whisper_ext_samples receive, void* sink, char* message, std::size_t n_message,
                   void* user_data) {
  auto& speech = *static_cast<Speech*>(user_data);
  speech.went_on = receive(speech.samples.data(), speech.samples.size(), sink) &&
                   receive(speech.samples.data(), speech.samples.size(), sink);
  if (speech.refuses != nullptr) {
    std::snprintf(message, n_message, "%s", speech.refuses);
  }
  return speech.refuses == nullptr;
}

TEST_F(Platform, OtherFormatsAreDecodedByTheApp) {
  Speech speech{std::vector<float>(1600, 0.25F)};
  whisper_ext_set_decoder(decode_speech, &speech);
  const TemporaryFile mp3("mp3", bytes_of("ID3 and more bytes"));
  whisper_ext_audio* const whole = whisper_ext_audio_from_file(mp3.path().c_str());
  ASSERT_NE(whole, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(whisper_ext_audio_n_samples(whole), 3200);
  EXPECT_EQ(whisper_ext_audio_samples(whole)[3199], 0.25F);
  EXPECT_EQ(whisper_ext_audio_format_of(whole).sample_rate_hz, 16000);
  whisper_ext_audio_free(whole);
  whisper_ext_audio* const opened = whisper_ext_audio_open(mp3.path().c_str());
  ASSERT_NE(opened, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(whisper_ext_audio_n_samples(opened), 3200);
  whisper_ext_audio_free(opened);
  // A WAV file is ours to decode.
  const TemporaryFile wav("wav", bytes_of(second_of_wav()));
  whisper_ext_audio* const ours = whisper_ext_audio_from_file(wav.path().c_str());
  ASSERT_NE(ours, nullptr);
  EXPECT_EQ(whisper_ext_audio_n_samples(ours), 16000);
  whisper_ext_audio_free(ours);
}

TEST_F(Platform, WhatCannotBeDecodedIsToldInTheAppsWords) {
  Speech speech{{0.5F}, "the file has no sound"};
  whisper_ext_set_decoder(decode_speech, &speech);
  const TemporaryFile mp3("mp3", bytes_of("ID3 and more bytes"));
  EXPECT_NE(failure(mp3.path().c_str()).find("the file has no sound"), std::string::npos);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
  speech.refuses = "";
  EXPECT_NE(failure(mp3.path().c_str()).find("says no reason"), std::string::npos);
}

TEST_F(Platform, ADecodersSampleThatIsNoNumberStopsIt) {
  Speech speech{{0.5F, std::numeric_limits<float>::quiet_NaN()}};
  whisper_ext_set_decoder(decode_speech, &speech);
  const TemporaryFile mp3("mp3", bytes_of("ID3 and more bytes"));
  EXPECT_NE(failure(mp3.path().c_str()).find("sample 1 is nan"), std::string::npos);
  EXPECT_FALSE(speech.went_on);
}

}  // namespace
}  // namespace speech::testing
