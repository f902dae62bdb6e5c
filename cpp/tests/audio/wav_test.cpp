// WAV decoding: every sample format, chunk layout and kind of damage, against images written byte by byte here.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "audio/audio.h"
#include "audio/byte_input.h"
#include "audio/wav_format.h"
#include "audio/wav_writer.h"

namespace speech {
namespace {

using test::ByteOrder;
using test::Bytes;
using test::Format;
using test::WavWriter;

const std::vector<std::int64_t> kRamp16 = {0, 1, -1, 16384, -16384, 32767, -32768, 256};

Audio decoded(const Bytes& image) {
  Result<Audio> audio = decode_wav(image);
  EXPECT_TRUE(audio) << audio.status().message();
  return audio ? std::move(audio).value() : Audio();
}

std::vector<float> scaled(const std::vector<std::int64_t>& values, double full_scale) {
  std::vector<float> samples;
  for (const std::int64_t value : values) {
    samples.push_back(static_cast<float>(static_cast<double>(value) / full_scale));
  }
  return samples;
}

void expect_error(const Bytes& image, Code code, const std::vector<std::string>& parts) {
  const Result<Audio> audio = decode_wav(image);
  ASSERT_FALSE(audio);
  EXPECT_EQ(audio.status().code(), code) << audio.status().message();
  for (const std::string& part : parts) {
    EXPECT_NE(audio.status().message().find(part), std::string::npos)
        << "'" << part << "' is not in: " << audio.status().message();
  }
}

// ---- sample formats ----

TEST(Wav, ReadsPcmOf8To32BitsExactly) {
  struct Case {
    unsigned bits;
    std::vector<std::int64_t> values;
  };
  for (const Case& c :
       {Case{8, {0, 1, -1, 64, -128, 127}}, Case{16, kRamp16}, Case{24, {0, 1, -1, 4194304, -8388608, 8388607}},
        Case{32, {0, 65536, -65536, 1073741824, -2147483648LL, 2147483647}}}) {
    const int bits = static_cast<int>(c.bits);
    const Audio audio = decoded(wav_image(Format{.bits = c.bits}, test::pcm_bytes(c.values, bits)));
    EXPECT_EQ(audio.samples, scaled(c.values, std::ldexp(1.0, bits - 1))) << c.bits;
    EXPECT_EQ(audio.source.bits_per_sample, bits);
    EXPECT_EQ(audio.source.frames, static_cast<std::int64_t>(c.values.size()));
    EXPECT_FALSE(audio.source.is_float);
  }
}

TEST(Wav, ReadsFloatsOf32And64BitsAndLetsThemExceedOne) {
  const std::vector<float> floats = {0.0F, -0.25F, 1.0F, 2.5F, -1e-20F};
  const std::vector<double> doubles(floats.begin(), floats.end());
  const Audio from_floats = decoded(wav_image(Format{.tag = 3, .bits = 32}, test::float_bytes(floats)));
  const Audio from_doubles = decoded(wav_image(Format{.tag = 3, .bits = 64}, test::double_bytes(doubles)));
  EXPECT_EQ(from_floats.samples, floats);
  EXPECT_EQ(from_doubles.samples, floats);
  EXPECT_TRUE(from_doubles.source.is_float);
  EXPECT_EQ(from_doubles.source.bits_per_sample, 64);
}

TEST(Wav, ReadsSamplesThatFillTheUpperBitsOfALargerContainer) {
  // 20 bits in 3 bytes, and 24 bits in 4: both left-justified, as the format says.
  const std::vector<std::int64_t> values = {0, 524287 * 16, -524288 * 16};
  EXPECT_EQ(decoded(wav_image(Format{.bits = 20}, test::pcm_bytes(values, 24))).samples, scaled(values, 8388608.0));
  const std::vector<std::int64_t> wide = {0, 256, -256, 8388607LL * 256};
  EXPECT_EQ(decoded(wav_image(Format{.bits = 24, .frame_bytes = 4}, test::pcm_bytes(wide, 32))).samples,
            scaled(wide, 2147483648.0));
}

TEST(Wav, ReadsExtensibleFormatsByTheirSubFormat) {
  const Audio pcm = decoded(WavWriter()
                                .chunk("fmt ", Format{.bits = 24}.extensible_bytes())
                                .chunk("data", test::pcm_bytes(kRamp16, 24))
                                .bytes());
  EXPECT_EQ(pcm.samples, scaled(kRamp16, 8388608.0));
  const std::vector<float> floats = {0.5F, -0.5F};
  const Audio from_floats = decoded(WavWriter()
                                        .chunk("fmt ", Format{.tag = 3, .bits = 32}.extensible_bytes())
                                        .chunk("data", test::float_bytes(floats))
                                        .bytes());
  EXPECT_EQ(from_floats.samples, floats);
}

TEST(Wav, AveragesAnyNumberOfChannels) {
  for (const unsigned channels : {2U, 3U, 6U, 8U, 1000U, 65535U}) {
    const unsigned bits = channels == 65535U ? 8 : 16;
    std::vector<std::int64_t> values;
    std::vector<float> means;
    for (int frame = 0; frame < 4; ++frame) {
      double sum = 0.0;
      for (unsigned channel = 0; channel < channels; ++channel) {
        values.push_back((static_cast<int>(channel) * 7 + frame * 31) % 100 - 50);
        sum += static_cast<double>(values.back());
      }
      means.push_back(static_cast<float>(sum / channels / (bits == 8 ? 128.0 : 32768.0)));
    }
    const Audio audio =
        decoded(wav_image(Format{.channels = channels, .bits = bits}, test::pcm_bytes(values, static_cast<int>(bits))));
    ASSERT_EQ(audio.samples.size(), means.size()) << channels;
    for (std::size_t i = 0; i < means.size(); ++i) {
      EXPECT_NEAR(audio.samples[i], means[i], 1e-7) << channels << " channels, frame " << i;
    }
    EXPECT_EQ(audio.source.channels, static_cast<int>(channels));
  }
}

TEST(Wav, ReadsBigEndianRifx) {
  const ByteOrder big = ByteOrder::kBig;
  const Audio pcm = decoded(WavWriter("RIFX")
                                .chunk("fmt ", Format{.bits = 24}.bytes(big))
                                .chunk("data", test::pcm_bytes(kRamp16, 24, big))
                                .bytes());
  EXPECT_EQ(pcm.samples, scaled(kRamp16, 8388608.0));
  const std::vector<double> doubles = {0.5, -0.125};
  const Audio from_doubles = decoded(WavWriter("RIFX")
                                         .chunk("fmt ", Format{.tag = 3, .bits = 64}.extensible_bytes(big))
                                         .chunk("data", test::double_bytes(doubles, big))
                                         .bytes());
  EXPECT_EQ(from_doubles.samples, (std::vector<float>{0.5F, -0.125F}));
}

TEST(Wav, ResamplesTo16Kilohertz) {
  const std::vector<std::int64_t> values = test::sine_16_bit(44100, 1000.0, 44100.0);
  const Audio audio = decoded(wav_image(Format{.rate_hz = 44100}, test::pcm_bytes(values, 16)));
  ASSERT_EQ(audio.samples.size(), 16000U);
  EXPECT_EQ(audio.source.sample_rate_hz, 44100);
  EXPECT_EQ(audio.source.frames, 44100);
  for (int i = 200; i < 15800; ++i) {
    // One step of the 16-bit samples is 3e-5; the resampler adds as much at most.
    ASSERT_NEAR(audio.samples[i], 20000.0 / 32768.0 * std::sin(2.0 * 3.14159265358979 * 1000.0 * i / 16000.0), 6e-5);
  }
  EXPECT_EQ(audio.samples, *resample(scaled(values, 32768.0), 44100, 16000));
}

// ---- chunks ----

TEST(Wav, GivesTheSameSamplesWhateverStandsAroundTheData) {
  const Bytes format = Format{}.bytes();
  const Bytes data = test::pcm_bytes(kRamp16, 16);
  const Bytes odd = test::bytes_of("INFOICMT\x03");
  const std::vector<float> expected = scaled(kRamp16, 32768.0);
  const std::vector<std::pair<const char*, Bytes>> images = {
      {"plain", WavWriter().chunk("fmt ", format).chunk("data", data).bytes()},
      {"data first", WavWriter().chunk("data", data).chunk("fmt ", format).bytes()},
      {"chunks before",
       WavWriter().chunk("JUNK", Bytes(28)).chunk("fmt ", format).chunk("LIST", odd).chunk("data", data).bytes()},
      {"chunks before, data first",
       WavWriter().chunk("LIST", odd).chunk("data", data).chunk("bext", Bytes(603)).chunk("fmt ", format).bytes()},
      {"chunks behind", WavWriter().chunk("fmt ", format).chunk("data", data).chunk("LIST", odd).bytes()},
      {"format of 18 bytes",
       WavWriter().chunk("fmt ", Format{.extension_bytes = 2}.bytes()).chunk("data", data).bytes()},
      {"format of 40 bytes",
       WavWriter().chunk("fmt ", Format{.extension_bytes = 24}.bytes()).chunk("data", data).bytes()},
      {"empty chunk",
       WavWriter().chunk("fake", {}).chunk("fmt ", format).chunk("fact", Bytes(4)).chunk("data", data).bytes()},
      {"a second format and data", WavWriter()
                                       .chunk("fmt ", format)
                                       .chunk("fmt ", Format{.bits = 8}.bytes())
                                       .chunk("data", data)
                                       .chunk("data", Bytes(8))
                                       .bytes()},
      {"streamed, size 0xFFFFFFFF", WavWriter().chunk("fmt ", format).chunk("data", data, 0xFFFFFFFFU).bytes()},
      {"streamed, size 0", WavWriter().chunk("fmt ", format).chunk("data", data, 0).bytes()},
      {"streamed, size 0x7FFFFFFF", WavWriter().chunk("fmt ", format).chunk("data", data, 0x7FFFFFFFU).bytes()},
  };
  for (const auto& [name, image] : images) {
    EXPECT_EQ(decoded(image).samples, expected) << name;
  }
}

TEST(Wav, ReadsRf64AndBw64SizesFromTheirOwnChunk) {
  const Bytes data = test::pcm_bytes(kRamp16, 16);
  Bytes sizes;
  test::append_number(sizes, 0, 8);
  test::append_number(sizes, data.size(), 8);
  test::append_number(sizes, kRamp16.size(), 8);
  test::append_number(sizes, 0, 4);
  for (const char* riff : {"RF64", "BW64"}) {
    const Bytes image = WavWriter(riff)
                            .chunk("ds64", sizes)
                            .chunk("fmt ", Format{}.bytes())
                            .chunk("data", data, 0xFFFFFFFFU)
                            .chunk("LIST", Bytes(10))
                            .bytes();
    EXPECT_EQ(decoded(image).samples, scaled(kRamp16, 32768.0)) << riff;  // without the LIST chunk's bytes
  }
  Bytes hostile;
  test::append_number(hostile, ~std::uint64_t{0}, 8);
  test::append_number(hostile, ~std::uint64_t{0}, 8);
  const Bytes image =
      WavWriter("RF64").chunk("ds64", hostile).chunk("fmt ", Format{}.bytes()).chunk("data", data, 0xFFFFFFFFU).bytes();
  EXPECT_EQ(decoded(image).samples, scaled(kRamp16, 32768.0));
}

TEST(Wav, AnEmptyDataChunkIsAnEmptyRecording) {
  const Bytes format = Format{}.bytes();
  EXPECT_TRUE(decoded(WavWriter().chunk("fmt ", format).chunk("data", {}).bytes()).samples.empty());
  // Well-formed chunks behind it show that its size of 0 is meant.
  EXPECT_TRUE(
      decoded(WavWriter().chunk("fmt ", format).chunk("data", {}).chunk("LIST", Bytes(4)).bytes()).samples.empty());
  EXPECT_TRUE(decoded(WavWriter().chunk("data", {}).chunk("fmt ", format).bytes()).samples.empty());
}

TEST(Wav, ReadsACutFileUpToItsLastWholeFrame) {
  const Bytes whole = wav_image(Format{.channels = 2}, test::pcm_bytes(kRamp16, 16));
  for (std::size_t cut = 0; cut <= 16; ++cut) {
    const Bytes image(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(cut));
    EXPECT_EQ(decoded(image).samples.size(), (16 - cut) / 4) << cut;
  }
}

TEST(Wav, NamesWhereAFileWithoutSamplesIsCut) {
  const Bytes whole = wav_image(Format{}, test::pcm_bytes(kRamp16, 16));
  for (std::size_t size = 4; size < 44; ++size) {
    const Result<Audio> audio = decode_wav(std::span(whole).first(size));
    ASSERT_FALSE(audio) << size;
    EXPECT_EQ(audio.status().code(), Code::kBadFormat);
  }
  expect_error(Bytes(whole.begin(), whole.begin() + 8), Code::kBadFormat, {"ends after 8 bytes"});
  expect_error(Bytes(whole.begin(), whole.begin() + 30), Code::kBadFormat, {"'fmt '", "byte 12", "cut"});
  expect_error(Bytes(whole.begin(), whole.begin() + 36), Code::kBadFormat, {"no 'data' chunk"});
  expect_error(WavWriter().chunk("data", test::pcm_bytes(kRamp16, 16)).bytes(), Code::kBadFormat, {"no 'fmt ' chunk"});
  expect_error(WavWriter().chunk("fmt ", Format{}.bytes()).chunk("LIST", Bytes(8), 1000).bytes(), Code::kBadFormat,
               {"no 'data' chunk", "'LIST' at byte 36", "claims 1000 bytes", "8 are left"});
}

// ---- what is wrong ----

TEST(Wav, NamesForeignSampleFormats) {
  for (const auto& [tag, name] : {std::pair{2U, "ADPCM"}, std::pair{6U, "A-law"}, std::pair{7U, "mu-law"},
                                  std::pair{0x55U, "MP3"}, std::pair{0x1234U, "0x1234"}}) {
    expect_error(wav_image(Format{.tag = tag, .bits = 8}, Bytes(100)), Code::kUnsupported,
                 {name, "expected PCM or float"});
    expect_error(
        WavWriter().chunk("fmt ", Format{.tag = tag, .bits = 8}.extensible_bytes()).chunk("data", Bytes(100)).bytes(),
        Code::kUnsupported, {name});
  }
  Bytes ambisonic = Format{}.extensible_bytes();
  ambisonic[28] = std::byte{0x21};
  expect_error(WavWriter().chunk("fmt ", ambisonic).chunk("data", Bytes(100)).bytes(), Code::kUnsupported,
               {"EXTENSIBLE sub-format"});
}

TEST(Wav, NamesTheFormatFieldThatIsOutOfRange) {
  const Bytes data(64);
  expect_error(wav_image(Format{.channels = 0, .frame_bytes = 2}, data), Code::kBadFormat, {"0 channels"});
  expect_error(wav_image(Format{.rate_hz = 0}, data), Code::kBadFormat, {"0 Hz", "1..1000000"});
  expect_error(wav_image(Format{.rate_hz = 1000001}, data), Code::kBadFormat, {"1000001 Hz"});
  expect_error(wav_image(Format{.rate_hz = 0xFFFFFFFFU}, data), Code::kBadFormat, {"4294967295 Hz"});
  expect_error(wav_image(Format{.bits = 0, .frame_bytes = 2}, data), Code::kBadFormat, {"0-bit PCM"});
  expect_error(wav_image(Format{.bits = 64}, data), Code::kUnsupported, {"64-bit PCM"});
  expect_error(wav_image(Format{.bits = 65535}, data), Code::kBadFormat, {"65535-bit PCM"});
  expect_error(wav_image(Format{.tag = 3, .bits = 16}, data), Code::kUnsupported, {"16-bit float"});
  expect_error(wav_image(Format{.tag = 3, .bits = 31}, data), Code::kBadFormat, {"31-bit float"});
  expect_error(wav_image(Format{.channels = 2, .frame_bytes = 3}, data), Code::kBadFormat,
               {"3 bytes", "expected 4 bytes"});
  expect_error(wav_image(Format{.frame_bytes = 0}, data), Code::kBadFormat, {"0 bytes"});
  expect_error(wav_image(Format{.channels = 65535, .bits = 32, .frame_bytes = 65535}, data), Code::kBadFormat,
               {"262140"});
  expect_error(wav_image(Format{.tag = 3, .bits = 32, .frame_bytes = 8}, data), Code::kBadFormat, {"8 bytes"});
  expect_error(WavWriter().chunk("fmt ", Bytes(14)).chunk("data", data).bytes(), Code::kBadFormat,
               {"'fmt ' at byte 12", "14 bytes", "at least 16"});
}

TEST(Wav, NamesTheFirstFloatSampleThatIsNone) {
  for (const double bad :
       {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), 1e300, -3e9}) {
    std::vector<double> values(200000, 0.25);
    values[140001] = bad;
    values[150000] = bad;
    expect_error(wav_image(Format{.tag = 3, .channels = 2, .bits = 64}, test::double_bytes(values)), Code::kBadFormat,
                 {"sample 70000 of channel 1"});
    const std::vector<float> floats(values.begin(), values.begin() + 140002);
    expect_error(wav_image(Format{.tag = 3, .bits = 32}, test::float_bytes(floats)), Code::kBadFormat,
                 {"sample 140001 of channel 0"});
  }
}

TEST(Wav, BoundsWhatALowRateMultiplies) {
  const std::vector<std::int64_t> ten(10, 16384);
  EXPECT_EQ(decoded(wav_image(Format{.rate_hz = 1}, test::pcm_bytes(ten, 16))).samples.size(), 160000U);
  // 2000 seconds: 32 million samples out of 2,044 bytes.
  expect_error(wav_image(Format{.rate_hz = 1, .bits = 8}, Bytes(2000)), Code::kUnsupported,
               {"2000 seconds at 1 Hz", "1048"});
  EXPECT_EQ(decoded(wav_image(Format{.rate_hz = 1000000, .bits = 8}, Bytes(1000))).samples.size(), 16U);
}

TEST(Wav, AFileOfEmptyChunksEndsSoon) {
  WavWriter writer;
  for (int i = 0; i < 70000; ++i) {
    writer.chunk("JUNK", {});
  }
  expect_error(writer.bytes(), Code::kBadFormat, {"more than 65536 chunks"});
}

/// Counts what is read of an image.
class CountingInput final : public ByteInput {
 public:
  explicit CountingInput(const Bytes& image) : image_(memory_input(image)) {}
  std::uint64_t size() const override { return image_->size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    ++n_reads;
    return image_->read_at(offset, out);
  }
  int n_reads = 0;

 private:
  std::unique_ptr<ByteInput> image_;
};

TEST(Wav, AFileOfEmptyDataChunksIsWalkedAFewTimesNotOncePerChunk) {
  constexpr int kChunks = 3000;
  WavWriter writer;
  for (int i = 0; i < kChunks; ++i) {
    writer.chunk("data", {});
  }
  CountingInput input(writer.bytes());
  EXPECT_FALSE(read_wav_layout(input));
  EXPECT_LE(input.n_reads, 3 * kChunks);  // the walk itself, and one look ahead from the first of them
}

TEST(Wav, NamesWhatIsNotWav) {
  expect_error({}, Code::kBadFormat, {"an empty file", "expected a WAV file"});
  expect_error(test::bytes_of("<!DOCTYPE html><html>"), Code::kBadFormat, {"an HTML page"});
  expect_error(test::bytes_of("ID3\x04"), Code::kBadFormat, {"an MP3 file", "ffmpeg"});
  expect_error(test::bytes_of("RIFF1234AVI LIST"), Code::kBadFormat, {"an AVI file"});
}

}  // namespace
}  // namespace speech
