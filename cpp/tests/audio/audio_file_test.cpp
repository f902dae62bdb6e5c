// Recordings by path: what is at the end of it, and that a file gives what its image gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <thread>

#include "audio/audio.h"
#include "audio/wav_writer.h"

#if __has_include(<sys/stat.h>)
#include <sys/stat.h>
#endif

namespace speech {
namespace {

namespace fs = std::filesystem;
using test::Bytes;

class AudioFile : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() /
              ("speech audio " + name + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
               std::to_string(reinterpret_cast<std::uintptr_t>(this)));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const Bytes& bytes) const {
    const fs::path path = folder_ / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path.string();
  }

  fs::path folder_;
};

Bytes stereo_image(int n) {
  return wav_image(test::Format{.channels = 2, .rate_hz = 48000},
                   test::pcm_bytes(test::sine_16_bit(2 * n, 700.0, 96000.0), 16));
}

void expect_error(const std::string& path, Code code, const std::string& part) {
  const Result<Audio> audio = read_audio_file(path);
  ASSERT_FALSE(audio);
  EXPECT_EQ(audio.status().code(), code) << audio.status().message();
  EXPECT_NE(audio.status().message().find(part), std::string::npos) << audio.status().message();
  EXPECT_NE(audio.status().message().find("'" + path + "'"), std::string::npos) << audio.status().message();
}

TEST_F(AudioFile, GivesWhatItsImageGives) {
  const Bytes image = stereo_image(100000);  // several blocks
  const Result<Audio> from_file = read_audio_file(write("speech.wav", image));
  const Result<Audio> from_memory = decode_wav(image);
  ASSERT_TRUE(from_file) << from_file.status().message();
  ASSERT_TRUE(from_memory);
  EXPECT_EQ(from_file->samples, from_memory->samples);
  EXPECT_EQ(from_file->samples.size(), 33334U);
  EXPECT_EQ(from_file->source.frames, 100000);
}

TEST_F(AudioFile, PathsMayHoldSpacesAndNonAsciiLetters) {
  const Result<Audio> audio =
      read_audio_file(write("m\xC3\xB6re sp\xC3\xA9\x65\x63h \xE8\xAF\xAD\xE9\x9F\xB3.wav", stereo_image(48)));
  ASSERT_TRUE(audio) << audio.status().message();
  EXPECT_EQ(audio->samples.size(), 16U);
}

TEST_F(AudioFile, NamesAMissingPathADirectoryAndAForeignFile) {
  expect_error((folder_ / "missing.wav").string(), Code::kNotFound, "no such file");
  expect_error("", Code::kNotFound, "no such file");
  expect_error(folder_.string(), Code::kInvalidArgument, "is a directory");
  expect_error(write("empty.wav", {}), Code::kBadFormat, "an empty file");
  expect_error(write("voice.wav", test::bytes_of(std::string("\0\0\0\x20"
                                                             "ftypM4A ",
                                                             12))),
               Code::kBadFormat, "an M4A file");
}

TEST_F(AudioFile, ReadsAnyPieceAsItIsInTheWhole) {
  for (const std::uint32_t rate_hz : {8000U, 16000U, 22050U, 44100U, 96000U}) {
    const std::string path =
        write("piece.wav", wav_image(test::Format{.channels = 2, .rate_hz = rate_hz},
                                     test::pcm_bytes(test::sine_16_bit(60000, 700.0, 96000.0), 16)));
    const Result<Audio> whole = read_audio_file(path);
    const Result<StreamedAudio> file = open_audio_file(path);
    ASSERT_TRUE(file) << file.status().message();
    EXPECT_EQ(file->source.sample_rate_hz, static_cast<int>(rate_hz));
    ASSERT_EQ(file->samples->size(), whole->samples.size());
    for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, whole->samples.size() / 2}) {
      std::vector<float> part(whole->samples.size() - begin);
      ASSERT_TRUE(file->samples->read(begin, part));
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole->samples.begin() + static_cast<std::ptrdiff_t>(begin)))
          << rate_hz << " Hz from " << begin;
    }
  }
}

TEST_F(AudioFile, SaysThatItHasBecomeShorterOrHoldsNoNumberWhereItDoes) {
  const std::string path = write("short.wav", stereo_image(60000));
  const Result<StreamedAudio> file = open_audio_file(path);
  ASSERT_TRUE(file);
  fs::resize_file(path, 100000);
  std::vector<float> part(1000);
  EXPECT_TRUE(file->samples->read(0, part));
  const Status status = file->samples->read(file->samples->size() - 1000, part);
  EXPECT_EQ(status.code(), Code::kIo);
  EXPECT_NE(status.message().find("has become shorter"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("short.wav"), std::string::npos) << status.message();

  std::vector<float> values(2000, 0.25F);
  values[1500] = std::numeric_limits<float>::infinity();
  const Result<StreamedAudio> floats =
      open_audio_file(write("floats.wav", wav_image(test::Format{.tag = 3, .bits = 32}, test::float_bytes(values))));
  ASSERT_TRUE(floats);
  EXPECT_TRUE(floats->samples->read(0, part));
  EXPECT_NE(floats->samples->read(1000, part).message().find("sample 1500 of channel 0"), std::string::npos);
  EXPECT_EQ(open_audio_file((folder_ / "none.wav").string()).status().code(), Code::kNotFound);
  EXPECT_EQ(open_audio_file(write("x.wav", test::bytes_of("OggS"))).status().code(), Code::kBadFormat);
}

#if __has_include(<sys/stat.h>)
TEST_F(AudioFile, ReadsAPipe) {
  const Bytes image = stereo_image(60000);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    std::ofstream(pipe, std::ios::binary)
        .write(reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));
  });
  const Result<Audio> audio = read_audio_file(pipe);
  writer.join();
  ASSERT_TRUE(audio) << audio.status().message();
  EXPECT_EQ(audio->samples, decode_wav(image)->samples);
}

TEST_F(AudioFile, RefusesAnEndlessStreamByItsFirstBytes) {
  if (fs::exists("/dev/zero")) {
    expect_error("/dev/zero", Code::kBadFormat, "zero bytes");
  }
}
#endif

}  // namespace
}  // namespace speech
