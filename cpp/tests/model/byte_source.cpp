// Holds the byte sources to their contract: same bytes from path, memory and callbacks, and errors that name the cause.
#include "model/byte_source.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace speech {
namespace {

/// A directory of this process that is removed at the end.
class FileSourceTest : public ::testing::Test {
 protected:
  FileSourceTest() : directory_(::testing::TempDir() + "speech_byte_source_" + std::to_string(::getpid())) {
    std::filesystem::create_directory(directory_);
  }
  ~FileSourceTest() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = directory_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  std::string directory_;
};

std::string read_all(ByteSource& source, std::size_t step) {
  std::string out;
  std::vector<char> piece(step);
  while (true) {
    const auto n = source.read(piece.data(), piece.size());
    EXPECT_TRUE(n) << n.status().message();
    out.append(piece.data(), n ? *n : 0);
    if (!n || *n < step) {
      return out;
    }
  }
}

std::function<std::size_t(void*, std::size_t)> reader_of(std::span<const std::byte> bytes, std::size_t& position) {
  return [bytes, &position](void* out, std::size_t n) {
    const std::size_t n_read = std::min(n, bytes.size() - position);
    std::memcpy(out, bytes.data() + position, n_read);
    position += n_read;
    return n_read;
  };
}

TEST_F(FileSourceTest, PathMemoryAndCallbackGiveTheSameBytes) {
  std::string content(100000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 + i / 251);
  }
  const auto bytes = std::as_bytes(std::span(content));
  for (const std::size_t step : {1UL, 7UL, 4096UL, 200000UL}) {
    const auto file = open_file_source(write("model.bin", content));
    ASSERT_TRUE(file) << file.status().message();
    EXPECT_EQ((*file)->size(), content.size());
    EXPECT_EQ(read_all(**file, step), content);
    const auto memory = memory_source(bytes);
    EXPECT_EQ(memory->size(), content.size());
    EXPECT_EQ(read_all(*memory, step), content);
    std::size_t position = 0;
    const auto callback = callback_source(reader_of(bytes, position));
    EXPECT_FALSE(callback->size().has_value());
    EXPECT_EQ(read_all(*callback, step), content);
  }
}

TEST_F(FileSourceTest, SkippingIsAsReadingAndThrowingAway) {
  const std::string content = "0123456789";
  const auto bytes = std::as_bytes(std::span(content));
  std::size_t position = 0;
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(open_file_source(write("ten", content)).value());
  sources.push_back(memory_source(bytes));
  sources.push_back(callback_source(reader_of(bytes, position)));
  for (const auto& source : sources) {
    std::array<char, 2> two{};
    EXPECT_EQ(source->skip(3).value(), 3U);
    EXPECT_EQ(source->read(two.data(), 2).value(), 2U);
    EXPECT_EQ(std::string(two.data(), 2), "34");
    EXPECT_EQ(source->skip(100).value(), 5U);
    EXPECT_EQ(source->read(two.data(), 2).value(), 0U);
  }
}

TEST_F(FileSourceTest, PathsWithSpacesAndAnyLettersOpen) {
  for (const std::string name :
       {"my model.bin", "ggml-בדיקה.bin", "модель — ä.bin", "模型.bin", "a'b\"c%20d.bin", "😀.bin"}) {
    const auto source = open_file_source(write(name, "content"));
    ASSERT_TRUE(source) << source.status().message();
    EXPECT_EQ(read_all(**source, 100), "content");
  }
}

TEST_F(FileSourceTest, EmptyFileHasNoBytes) {
  const auto source = open_file_source(write("empty", ""));
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->size(), 0U);
  EXPECT_EQ(read_all(**source, 10), "");
}

TEST_F(FileSourceTest, MissingPathIsNotFoundByName) {
  for (const std::string& path : {directory_ + "/no such.bin", write("file", "x") + "/below a file"}) {
    const auto source = open_file_source(path);
    ASSERT_FALSE(source);
    EXPECT_EQ(source.status().code(), Code::kNotFound);
    EXPECT_NE(source.status().message().find(path), std::string::npos) << source.status().message();
  }
}

TEST_F(FileSourceTest, UrlInPlaceOfAPathIsExplained) {
  const auto source = open_file_source("file:///models/my%20model.bin");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.status().code(), Code::kNotFound);
  EXPECT_NE(source.status().message().find("plain path"), std::string::npos) << source.status().message();
}

TEST_F(FileSourceTest, DirectoryIsRefusedAsSuch) {
  const auto source = open_file_source(directory_);
  ASSERT_FALSE(source);
  EXPECT_EQ(source.status().code(), Code::kInvalidArgument);
  EXPECT_NE(source.status().message().find("is a directory"), std::string::npos) << source.status().message();
}

TEST_F(FileSourceTest, FifoWithoutAWriterIsRefusedAndDoesNotWait) {
  const std::string path = directory_ + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto source = open_file_source(path);
  ASSERT_FALSE(source);
  EXPECT_NE(source.status().message().find("is a FIFO"), std::string::npos) << source.status().message();
}

TEST_F(FileSourceTest, EmptyPathAndPathWithAZeroByteAreInvalid) {
  using namespace std::string_literals;
  for (const std::string& path : {""s, write("file", "x") + "\0tail"s}) {
    const auto source = open_file_source(path);
    ASSERT_FALSE(source);
    EXPECT_EQ(source.status().code(), Code::kInvalidArgument);
  }
}

TEST(CallbackSource, IsNotCalledAgainAfterAShortRead) {
  int calls = 0;
  const auto source = callback_source([&calls](void*, std::size_t) { return ++calls == 1 ? std::size_t{1} : 100; });
  std::array<char, 4> out{};
  EXPECT_EQ(source->read(out.data(), out.size()).value(), 1U);
  EXPECT_EQ(source->read(out.data(), out.size()).value(), 0U);
  EXPECT_EQ(source->skip(10).value(), 0U);
  EXPECT_EQ(calls, 1);
}

TEST(CallbackSource, MoreBytesThanAskedForAreAnError) {
  const auto source = callback_source([](void*, std::size_t n) { return n + 1; });
  std::array<char, 4> out{};
  const auto n = source->read(out.data(), out.size());
  ASSERT_FALSE(n);
  EXPECT_EQ(n.status().code(), Code::kIo);
}

}  // namespace
}  // namespace speech
