// Files as they are opened, told apart and read.
#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary_file.h"

namespace speech {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class FileTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kContent = "0123456789";

  File open() const {
    Result<File> file = File::open(written_.path(), /*waits=*/true);
    EXPECT_TRUE(file) << file.status().message();
    return std::move(file).value();
  }

  static std::string read(File& file, std::size_t n_bytes) {
    std::vector<std::byte> bytes(n_bytes);
    const Result<std::size_t> n = file.read(bytes);
    return n ? text_of(std::span(bytes).first(*n)) : n.status().message();
  }

  static std::string read_at(const File& file, std::uint64_t offset, std::size_t n_bytes) {
    std::vector<std::byte> bytes(n_bytes);
    const Result<std::size_t> n = file.read_at(offset, bytes);
    return n ? text_of(std::span(bytes).first(*n)) : n.status().message();
  }

  testing::TemporaryFile written_{"file", std::as_bytes(std::span(kContent))};
};

TEST_F(FileTest, ReadsOnFromWhereItIsAndNothingAtTheEnd) {
  File file = open();
  EXPECT_EQ(file.kind(), FileKind::kRegular);
  EXPECT_EQ(file.size(), kContent.size());
  EXPECT_EQ(read(file, 4), "0123");
  file.skip(2);
  EXPECT_EQ(read(file, 100), "6789");
  EXPECT_EQ(read(file, 100), "");
}

TEST_F(FileTest, ReadingAtAPlaceLeavesTheOtherPlaceAlone) {
  File file = open();
  EXPECT_EQ(read(file, 1), "0");
  EXPECT_EQ(read_at(file, 7, 2), "78");
  EXPECT_EQ(read_at(file, 8, 100), "89");
  EXPECT_EQ(read_at(file, 10, 1), "");
  EXPECT_EQ(read_at(file, 1000, 1), "");
  EXPECT_EQ(read_at(file, 3, 0), "");
  EXPECT_EQ(read(file, 1), "1");
}

TEST_F(FileTest, AMovedFileIsReadOnByItsNewOwner) {
  File first = open();
  EXPECT_EQ(read(first, 3), "012");
  File second = std::move(first);
  EXPECT_EQ(read(second, 3), "345");
}

TEST_F(FileTest, OtherKindsAreOpenedAndToldApart) {
  const Result<File> folder = File::open(std::filesystem::temp_directory_path().string(), /*waits=*/false);
  ASSERT_TRUE(folder) << folder.status().message();
  EXPECT_EQ(folder->kind(), FileKind::kDirectory);
  const Result<File> device = File::open("/dev/null", /*waits=*/false);
  ASSERT_TRUE(device) << device.status().message();
  EXPECT_EQ(device->kind(), FileKind::kDevice);
}

TEST_F(FileTest, AFifoIsOpenAtOnceForWhoDoesNotWait) {
  const std::string path = written_.path() + "-fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Result<File> fifo = File::open(path, /*waits=*/false);
  std::filesystem::remove(path);
  ASSERT_TRUE(fifo) << fifo.status().message();
  EXPECT_EQ(fifo->kind(), FileKind::kFifo);
}

TEST_F(FileTest, WhatIsMissingIsNotFoundWithTheSystemsWords) {
  for (const std::string& path : {std::string("/nowhere/at/all"), std::string(), written_.path() + "/below"}) {
    const Result<File> file = File::open(path, /*waits=*/false);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.status().code(), Code::kNotFound) << path;
    EXPECT_FALSE(file.status().message().empty());
  }
}

TEST_F(FileTest, ReadingAFolderFailsAsInputAndOutputDo) {
  Result<File> folder = File::open(std::filesystem::temp_directory_path().string(), /*waits=*/false);
  ASSERT_TRUE(folder);
  std::vector<std::byte> bytes(1);
  EXPECT_EQ(folder->read(bytes).status().code(), Code::kIo);
}

}  // namespace
}  // namespace speech
