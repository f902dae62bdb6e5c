// What crosses the border to JavaScript: text is valid UTF-8, bytes are what they are said to be.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "audio_input.h"
#include "errors.h"
#include "utf8.h"

namespace speech::js {
namespace {

TEST(Utf8, KeepsWhatIsValid) {
  for (const std::string text : {"", "a",
                                 "gr\xC3\xB6\xC3\x9F"
                                 "er",
                                 "\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(valid_utf8(text), text);
    EXPECT_TRUE(is_valid_utf8(text));
  }
}

TEST(Utf8, ReplacesEachByteOfNoCharacter) {
  const std::string sign = "\xEF\xBF\xBD";
  EXPECT_EQ(valid_utf8("a\xE2\x82"), "a" + sign + sign);  // cut
  EXPECT_EQ(valid_utf8("\x80"
                       "b"),
            sign + "b");                                                 // a tail alone
  EXPECT_EQ(valid_utf8("\xC0\xAF"), sign + sign);                        // overlong
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), sign + sign + sign);             // a surrogate
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80"), sign + sign + sign + sign);  // above U+10FFFF
  EXPECT_EQ(valid_utf8("\xFF"), sign);
}

std::string decoded(std::string_view text) {
  const std::vector<std::byte> bytes = decode_base64(text, "field");
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// RFC 4648, section 10.
TEST(Base64, GivesTheVectorsOfItsDefinition) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded("Zm8="), "fo");
  EXPECT_EQ(decoded("Zm9v"), "foo");
  EXPECT_EQ(decoded("Zm9vYg=="), "foob");
  EXPECT_EQ(decoded("Zm9vYmE="), "fooba");
  EXPECT_EQ(decoded("Zm9vYmFy"), "foobar");
  EXPECT_EQ(decoded("Zm9v\r\n Ym Fy"), "foobar");
  EXPECT_EQ(decoded("Zm9vYg"), "foob");
  EXPECT_EQ(decoded("_-8="), decoded("/+8="));
}

TEST(Base64, RefusesWhatIsNone) {
  for (const std::string text : {"*", "Zm9v*", "Zg==Zg", "Z", "Zm9vY", "Zm9\xC3\xB6"}) {
    try {
      decoded(text);
      ADD_FAILURE() << text;
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.code, code::kBadFormat);
      EXPECT_EQ(refusal.field, "field");
    }
  }
}

template <typename Sample>
Audio audio_of(const std::vector<Sample>& samples, AudioFormat format, int channels, int rate_hz = 16000) {
  Audio audio;
  Bytes bytes;
  bytes.size = samples.size() * sizeof(Sample);
  bytes.data.reset(new std::byte[bytes.size]);
  if (!samples.empty()) {
    std::memcpy(bytes.data.get(), samples.data(), bytes.size);
  }
  audio.data = std::move(bytes);
  audio.format = format;
  audio.channels = channels;
  audio.sample_rate_hz = rate_hz;
  return audio;
}

TEST(Recording, AveragesChannelsOfWholeNumbers) {
  const Audio audio = audio_of<std::int16_t>({32767, -32768, 16384, 0, -32768, -32768}, AudioFormat::kInt16, 2);
  const Recording recording(audio, false);
  ASSERT_EQ(recording.n_samples(), 3);
  EXPECT_FLOAT_EQ(recording.samples()[0], -0.5F / 32768.0F);
  EXPECT_FLOAT_EQ(recording.samples()[1], 0.25F);
  EXPECT_FLOAT_EQ(recording.samples()[2], -1.0F);
}

TEST(Recording, ResamplesToTheRateOfTheCore) {
  const Audio audio = audio_of(std::vector<float>(44100, 0.5F), AudioFormat::kFloat32, 1, 44100);
  const Recording recording(audio, false);
  EXPECT_EQ(recording.n_samples(), 16000);
  EXPECT_NEAR(recording.samples()[8000], 0.5F, 1e-3);  // far from the edges, a constant stays one
}

TEST(Recording, OfNothingHasNoSamplesAndNoNullPointer) {
  const Recording recording(audio_of(std::vector<float>(), AudioFormat::kFloat32, 1), false);
  EXPECT_EQ(recording.n_samples(), 0);
  EXPECT_NE(recording.samples(), nullptr);
}

TEST(CheckAudio, NamesTheFieldThatIsWrong) {
  const auto field_of = [](Audio audio) {
    try {
      check_audio(audio);
    } catch (const Refusal& refusal) {
      return refusal.field;
    }
    return std::string("none");
  };
  Audio odd = audio_of<std::int16_t>({1, 2, 3}, AudioFormat::kInt16, 2);
  EXPECT_EQ(field_of(std::move(odd)), "audio.data");
  Audio untold = audio_of<std::int16_t>({1, 2}, AudioFormat::kInt16, 1);
  untold.format.reset();
  EXPECT_EQ(field_of(std::move(untold)), "audio.format");
  Audio typed = audio_of<std::int16_t>({1, 2}, AudioFormat::kFloat32, 1);
  typed.data->kind = ElementKind::kInt16;
  EXPECT_EQ(field_of(std::move(typed)), "audio.format");
  Audio file;
  file.path = "a.wav";
  EXPECT_EQ(field_of(std::move(file)), "none");
}

TEST(Errors, OfTheCoreHaveTheirCodes) {
  EXPECT_EQ(code_of(WHISPER_EXT_NOT_FOUND), code::kNotFound);
  EXPECT_EQ(code_of(WHISPER_EXT_BUSY), code::kBusy);
  EXPECT_EQ(code_of(1000), code::kInternal);
}

}  // namespace
}  // namespace speech::js
