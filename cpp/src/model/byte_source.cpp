// The three kinds of sources. Files are opened without waiting, so that a FIFO in the place of a model cannot hang the
// caller.
#include "model/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

namespace speech {
namespace {

std::string system_message(int error) { return std::generic_category().message(error); }

class FileSource : public ByteSource {
 public:
  FileSource(std::FILE* file, std::uint64_t size) : file_(file), size_(size) {}

  Result<std::size_t> read(void* out, std::size_t n) override {
    if (n == 0) {
      return std::size_t{0};
    }
    const std::size_t n_read = std::fread(out, 1, n, file_.get());
    position_ += n_read;
    if (n_read < n && std::ferror(file_.get()) != 0) {
      return Status(Code::kIo, "reading failed at byte " + std::to_string(position_) + ": " + system_message(errno));
    }
    return n_read;
  }

  Result<std::uint64_t> skip(std::uint64_t n) override {
    const std::uint64_t n_skipped = std::min(n, size_ - std::min(size_, position_));
    if (::fseeko(file_.get(), static_cast<off_t>(n_skipped), SEEK_CUR) != 0) {
      return Status(Code::kIo, "seeking failed at byte " + std::to_string(position_) + ": " + system_message(errno));
    }
    position_ += n_skipped;
    return n_skipped;
  }

  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Result<std::size_t> read(void* out, std::size_t n) override {
    const std::size_t n_read = std::min(n, bytes_.size() - position_);
    if (n_read > 0) {
      std::memcpy(out, bytes_.data() + position_, n_read);
    }
    position_ += n_read;
    return n_read;
  }

  Result<std::uint64_t> skip(std::uint64_t n) override {
    const std::uint64_t n_skipped = std::min<std::uint64_t>(n, bytes_.size() - position_);
    position_ += static_cast<std::size_t>(n_skipped);
    return n_skipped;
  }

  std::optional<std::uint64_t> size() const override { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

class CallbackSource : public ByteSource {
 public:
  explicit CallbackSource(std::function<std::size_t(void*, std::size_t)> read) : read_(std::move(read)) {}

  Result<std::size_t> read(void* out, std::size_t n) override {
    if (ended_ || n == 0) {
      return std::size_t{0};
    }
    const std::size_t n_read = read_(out, n);
    if (n_read > n) {
      ended_ = true;
      return Status(Code::kIo, "the read callback says that it read " + std::to_string(n_read) +
                                   " bytes where at most " + std::to_string(n) + " were asked for");
    }
    ended_ = n_read < n;
    return n_read;
  }

  std::optional<std::uint64_t> size() const override { return {}; }

 private:
  std::function<std::size_t(void*, std::size_t)> read_;
  bool ended_ = false;
};

/// "a directory"; empty for a regular file.
std::string_view irregular_kind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  if (S_ISSOCK(mode)) return "a socket";
  return "not a regular file";
}

Status open_failure(const std::string& path, int error) {
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  std::string message = "cannot open '" + path + "': " + system_message(error);
  if (path.starts_with("file:")) {
    message += "; expected a plain path, without 'file://' and with no %20 for spaces";
  }
  return {is_missing ? Code::kNotFound : Code::kIo, message};
}

}  // namespace

Result<std::uint64_t> ByteSource::skip(std::uint64_t n) {
  std::array<std::byte, 16384> scratch;
  std::uint64_t n_skipped = 0;
  while (n_skipped < n) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(scratch.size(), n - n_skipped));
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, read(scratch.data(), wanted));
    n_skipped += n_read;
    if (n_read < wanted) {
      break;
    }
  }
  return n_skipped;
}

Result<std::unique_ptr<ByteSource>> open_file_source(const std::string& path) {
  if (path.empty()) {
    return Status(Code::kInvalidArgument, "the path is empty; expected that of a model file");
  }
  if (path.find('\0') != std::string::npos) {
    return Status(Code::kInvalidArgument, "the path holds a zero byte");
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    return open_failure(path, errno);
  }
  struct stat about = {};
  if (::fstat(descriptor, &about) != 0) {
    const Status failure = open_failure(path, errno);
    ::close(descriptor);
    return failure;
  }
  if (const std::string_view kind = irregular_kind(about.st_mode); !kind.empty()) {
    ::close(descriptor);
    return Status(Code::kInvalidArgument, "'" + path + "' is " + std::string(kind) + "; expected a file");
  }
  std::FILE* file = ::fdopen(descriptor, "rb");
  if (file == nullptr) {
    const Status failure = open_failure(path, errno);
    ::close(descriptor);
    return failure;
  }
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(file, static_cast<std::uint64_t>(about.st_size)));
}

std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> callback_source(std::function<std::size_t(void*, std::size_t)> read) {
  return std::make_unique<CallbackSource>(std::move(read));
}

}  // namespace speech
