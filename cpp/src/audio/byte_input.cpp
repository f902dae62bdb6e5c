// Memory, files that can be positioned, and streams that cannot.
#include "audio/byte_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "audio/wav_format.h"

namespace speech {
namespace {

constexpr std::size_t kMaxStreamBytes = std::size_t{1} << 30U;  // what cannot be positioned has to fit into memory
constexpr std::size_t kStreamBlockBytes = std::size_t{1} << 16U;

class MemoryInput final : public ByteInput {
 public:
  explicit MemoryInput(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t size() const override { return bytes_.size(); }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= bytes_.size()) {
      return std::size_t{0};
    }
    const std::span<const std::byte> rest = bytes_.subspan(static_cast<std::size_t>(offset));
    const std::size_t n = std::min(rest.size(), out.size());
    std::copy_n(rest.begin(), n, out.begin());
    return n;
  }

 private:
  std::span<const std::byte> bytes_;
};

class StreamContents final : public ByteInput {
 public:
  explicit StreamContents(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), input_(bytes_) {}

  std::uint64_t size() const override { return input_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    return input_.read_at(offset, out);
  }

 private:
  std::vector<std::byte> bytes_;
  MemoryInput input_;
};

std::string last_system_error() { return errno != 0 ? std::strerror(errno) : "unknown error"; }

/// As much as there is, up to out.size(). Fails with io.
Result<std::size_t> read_some(std::ifstream& file, std::span<std::byte> out) {
  errno = 0;
  file.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (file.bad()) {
    return Status(Code::kIo, "reading failed: " + last_system_error());
  }
  return static_cast<std::size_t>(file.gcount());
}

class FileInput final : public ByteInput {
 public:
  FileInput(std::ifstream file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= size_) {
      return std::size_t{0};
    }
    errno = 0;
    if (offset != position_) {
      file_.clear();
      if (!file_.seekg(static_cast<std::streamoff>(offset))) {
        return Status(Code::kIo, "positioning at byte " + std::to_string(offset) + " failed: " + last_system_error());
      }
      position_ = offset;
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n, read_some(file_, out));
    position_ += n;
    return n;
  }

 private:
  std::ifstream file_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

Result<std::unique_ptr<ByteInput>> stream_input(std::ifstream& stream) {
  std::vector<std::byte> bytes;
  while (true) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kStreamBlockBytes);
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n, read_some(stream, std::span(bytes).subspan(before)));
    bytes.resize(before + n);
    if (before == 0) {
      SPEECH_RETURN_IF_ERROR(check_wav_header(bytes));
    }
    if (n < kStreamBlockBytes) {
      return std::unique_ptr<ByteInput>(std::make_unique<StreamContents>(std::move(bytes)));
    }
    if (bytes.size() > kMaxStreamBytes) {
      return Status(Code::kUnsupported, "the stream holds more than 1 GiB; save it to a file first");
    }
  }
}

}  // namespace

std::unique_ptr<ByteInput> memory_input(std::span<const std::byte> bytes) {
  return std::make_unique<MemoryInput>(bytes);
}

Result<std::unique_ptr<ByteInput>> file_input(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return Status(Code::kNotFound, "no such file");
  }
  if (status.type() == fs::file_type::none || status.type() == fs::file_type::unknown) {
    return Status(Code::kIo, error ? error.message() : "the file's type cannot be found out");
  }
  if (fs::is_directory(status)) {
    return Status(Code::kInvalidArgument, "it is a directory; expected a WAV file");
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return Status(Code::kIo, "opening failed: " + last_system_error());
  }
  if (!fs::is_regular_file(status)) {
    return stream_input(file);
  }
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) {
    return Status(Code::kIo, error.message());
  }
  return std::unique_ptr<ByteInput>(std::make_unique<FileInput>(std::move(file), size));
}

}  // namespace speech
