// Audio intake through the C API: results, null arguments and the last error of the thread.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "audio/wav_writer.h"
#include "whisper_ext.h"

namespace speech {
namespace {

class ExtAudio : public ::testing::Test {
 protected:
  void SetUp() override { whisper_ext_clear_error(); }
};

test::Bytes half_second() {
  return wav_image(test::Format{.channels = 2, .rate_hz = 48000},
                   test::pcm_bytes(test::sine_16_bit(48000, 500.0, 96000.0), 16));
}

TEST_F(ExtAudio, DecodesFromMemoryAndReportsTheSourceFormat) {
  const test::Bytes image = half_second();
  whisper_ext_audio* audio = whisper_ext_audio_from_memory(image.data(), image.size());
  ASSERT_NE(audio, nullptr) << whisper_ext_last_error();
  EXPECT_EQ(whisper_ext_audio_n_samples(audio), 8000);
  EXPECT_NE(whisper_ext_audio_samples(audio), nullptr);
  const whisper_ext_audio_format format = whisper_ext_audio_format_of(audio);
  EXPECT_EQ(format.sample_rate_hz, 48000);
  EXPECT_EQ(format.channels, 2);
  EXPECT_EQ(format.bits_per_sample, 16);
  EXPECT_FALSE(format.is_float);
  EXPECT_EQ(format.frames, 24000);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OK);
  EXPECT_STREQ(whisper_ext_last_error(), "");
  whisper_ext_audio_free(audio);
}

TEST_F(ExtAudio, FailuresLeaveCodeAndTextForTheirThreadOnly) {
  EXPECT_EQ(whisper_ext_audio_from_file("/no/such/folder/speech.wav"), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);
  EXPECT_NE(std::string(whisper_ext_last_error()).find("/no/such/folder/speech.wav"), std::string::npos);
  std::thread([] {
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OK);
    EXPECT_STREQ(whisper_ext_last_error(), "");
    EXPECT_EQ(whisper_ext_audio_from_memory("<html>", 6), nullptr);
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
  }).join();
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);

  const test::Bytes image = half_second();  // a success leaves the error alone
  whisper_ext_audio_free(whisper_ext_audio_from_memory(image.data(), image.size()));
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);
  whisper_ext_clear_error();
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OK);
  EXPECT_STREQ(whisper_ext_last_error(), "");
}

TEST_F(ExtAudio, NamesUnsupportedSamples) {
  const test::Bytes image = wav_image(test::Format{.tag = 6, .bits = 8}, test::Bytes(80));
  EXPECT_EQ(whisper_ext_audio_from_memory(image.data(), image.size()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_UNSUPPORTED);
  EXPECT_NE(std::string(whisper_ext_last_error()).find("A-law"), std::string::npos);
}

TEST_F(ExtAudio, NullArgumentsAreErrorsOrNothing) {
  EXPECT_EQ(whisper_ext_audio_from_file(nullptr), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  whisper_ext_clear_error();
  EXPECT_EQ(whisper_ext_audio_from_memory(nullptr, 10), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  EXPECT_EQ(whisper_ext_audio_from_memory(nullptr, 0), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
  EXPECT_EQ(whisper_ext_audio_samples(nullptr), nullptr);
  EXPECT_EQ(whisper_ext_audio_n_samples(nullptr), 0);
  EXPECT_EQ(whisper_ext_audio_format_of(nullptr).sample_rate_hz, 0);
  whisper_ext_audio_free(nullptr);
}

TEST_F(ExtAudio, ResamplesIntoTheCallersMemoryAndNeverBeyondIt) {
  const std::vector<float> ones(4800, 1.0F);
  EXPECT_EQ(whisper_ext_resample(ones.data(), 4800, 48000, 16000, nullptr, 0), 1600);
  std::vector<float> out(1601, -7.0F);
  EXPECT_EQ(whisper_ext_resample(ones.data(), 4800, 48000, 16000, out.data(), 800), 1600);
  EXPECT_NEAR(out[700], 1.0F, 2e-5F);
  EXPECT_EQ(out[800], -7.0F);
  EXPECT_EQ(whisper_ext_resample(ones.data(), 4800, 48000, 16000, out.data(), 1601), 1600);
  EXPECT_NE(out[1599], -7.0F);
  EXPECT_EQ(out[1600], -7.0F);
  EXPECT_EQ(whisper_ext_resample(nullptr, 0, 48000, 16000, out.data(), 10), 0);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_OK);
}

TEST_F(ExtAudio, ResampleNamesTheArgumentThatIsWrong) {
  const std::vector<float> bad = {0.0F, std::nanf("")};
  std::vector<float> out(10);
  struct Case {
    const float* samples;
    std::int64_t n_samples;
    int from_hz;
    int to_hz;
    std::int64_t n_out;
    const char* named;
  };
  for (const Case& c :
       {Case{bad.data(), -1, 8000, 16000, 10, "n_samples"}, Case{nullptr, 2, 8000, 16000, 10, "samples"},
        Case{bad.data(), 2, 0, 16000, 10, "from_hz"}, Case{bad.data(), 2, 8000, -5, 10, "to_hz"},
        Case{bad.data(), 2, 8000, 16000, -1, "n_out"}, Case{bad.data(), 2, 8000, 16000, 10, "sample 1"},
        Case{bad.data(), std::int64_t{1} << 62U, 8000, 16000, 10, "n_samples"}}) {
    whisper_ext_clear_error();
    EXPECT_EQ(whisper_ext_resample(c.samples, c.n_samples, c.from_hz, c.to_hz, out.data(), c.n_out), -1) << c.named;
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT) << c.named;
    EXPECT_NE(std::string(whisper_ext_last_error()).find(c.named), std::string::npos) << whisper_ext_last_error();
  }
}

}  // namespace
}  // namespace speech
