// What users of such libraries have reported about recordings as files, each at its smallest trigger
// (docs/user-reports.md).
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "audio/wav_writer.h"
#include "whisper_ext.h"

namespace speech {
namespace {

using namespace std::string_view_literals;
using test::Bytes;
using test::Format;
using test::wav_image;
using test::WavWriter;

struct FreeAudio {
  void operator()(whisper_ext_audio* audio) const { whisper_ext_audio_free(audio); }
};
using AudioPointer = std::unique_ptr<whisper_ext_audio, FreeAudio>;

AudioPointer decoded(const Bytes& image) {
  whisper_ext_clear_error();
  return AudioPointer(whisper_ext_audio_from_memory(image.data(), image.size()));
}

std::vector<float> samples_of(const Bytes& image) {
  const AudioPointer audio = decoded(image);
  EXPECT_NE(audio, nullptr) << whisper_ext_last_error();
  if (audio == nullptr) {
    return {};
  }
  const float* first = whisper_ext_audio_samples(audio.get());
  return {first, first + whisper_ext_audio_n_samples(audio.get())};
}

void expect_named(const Bytes& image, std::string_view what) {
  EXPECT_EQ(decoded(image), nullptr) << what;
  EXPECT_NE(whisper_ext_last_error_code(), WHISPER_EXT_OK);
  EXPECT_NE(std::string(whisper_ext_last_error()).find(what), std::string::npos) << whisper_ext_last_error();
}

Bytes tone(const Format& format, int n_frames) {
  std::vector<std::int64_t> values;
  for (const std::int64_t value : test::sine_16_bit(n_frames, 300, format.rate_hz)) {
    values.insert(values.end(), format.channels, value);
  }
  return wav_image(format, test::pcm_bytes(values, 16));
}

TEST(ReportsOnFiles, UserReport9WhatIsNoWavIsRefusedByItsContent) {
  expect_named(test::bytes_of("\0\0\0\x1C"
                              "ftypM4A \0\0\0\0isom"sv),
               "M4A");
}

TEST(ReportsOnFiles, UserReport9A44KilohertzFileIsNotReadAs16) {
  EXPECT_EQ(samples_of(tone({.rate_hz = 44100}, 44100)).size(), 16000U);
}

TEST(ReportsOnFiles, UserReport10RatesAndChannelsAreConverted) {
  const std::vector<float> expected = samples_of(tone({}, 16000));
  for (const Format& format : {Format{.rate_hz = 44100}, Format{.rate_hz = 48000}, Format{.channels = 2},
                               Format{.channels = 2, .rate_hz = 48000}, Format{.rate_hz = 8000}}) {
    const std::vector<float> samples = samples_of(tone(format, static_cast<int>(format.rate_hz)));
    ASSERT_EQ(samples.size(), expected.size());
    // Away from the ends, where the resampler sees silence: a tone of 300 Hz passes within a hundredth.
    for (std::size_t i = 2000; i < 14000; ++i) {
      ASSERT_NEAR(samples[i], expected[i], 0.01F) << format.rate_hz << " Hz, sample " << i;
    }
  }
}

TEST(ReportsOnFiles, UserReport11SamplesAreFoundWhateverStandsBeforeThem) {
  const Format format;
  const Bytes data = test::pcm_bytes(test::sine_16_bit(1000, 300, 16000), 16);
  const std::vector<float> expected = samples_of(wav_image(format, data));
  ASSERT_EQ(expected.size(), 1000U);
  Format longer = format;
  longer.extension_bytes = 2;
  const Bytes images[] = {
      WavWriter().chunk("fmt ", longer.bytes()).chunk("data", data).bytes(),
      WavWriter().chunk("fmt ", format.extensible_bytes()).chunk("data", data).bytes(),
      WavWriter().chunk("JUNK", Bytes(28)).chunk("fmt ", format.bytes()).chunk("data", data).bytes(),
      WavWriter().chunk("fmt ", format.bytes()).chunk("LIST", Bytes(33)).chunk("data", data).bytes(),
      WavWriter().chunk("fmt ", format.bytes()).chunk("data", data).chunk("LIST", Bytes(26)).bytes(),
  };
  for (const Bytes& image : images) {
    EXPECT_EQ(samples_of(image), expected);
  }
}

TEST(ReportsOnFiles, UserReport13EveryDepthIsDecodedAsWhatItIs) {
  std::vector<std::int64_t> values[4];
  std::vector<float> expected;
  for (int i = 0; i < 100; ++i) {
    expected.push_back(static_cast<float>(i - 50) / 64.0F);  // exact in 8 bits and more
    for (int k = 0; k < 4; ++k) {
      values[k].push_back(std::int64_t{2 * (i - 50)} << (8 * k));
    }
  }
  for (int k = 0; k < 4; ++k) {
    const auto bits = static_cast<unsigned>(8 * (k + 1));
    EXPECT_EQ(samples_of(wav_image({.bits = bits}, test::pcm_bytes(values[k], static_cast<int>(bits)))), expected)
        << bits << " bits";
  }
  EXPECT_EQ(samples_of(wav_image({.tag = 3, .bits = 32}, test::float_bytes(expected))), expected);
  expect_named(wav_image({.tag = 6, .bits = 8}, Bytes(100)), "A-law");
}

TEST(ReportsOnFiles, UserReport14RecordingsOfPhonesAreNamed) {
  expect_named(test::bytes_of("\0\0\0\x1C"
                              "ftyp3gp4\0\0\0\0isom"sv),
               "3GP");
  expect_named(test::bytes_of("\xFF\xF1\x50\x80\x02\x1F\xFC\0\0\0"sv), "AAC");
  expect_named(test::bytes_of("#!AMR\n<\0\0\0\0\0\0\0"sv), "AMR");
}

}  // namespace
}  // namespace speech
