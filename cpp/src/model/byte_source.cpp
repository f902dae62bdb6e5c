// The three kinds of sources. Files are opened without waiting, so that a FIFO in the place of a model cannot hang the
// caller.
#include "model/byte_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.h"

namespace speech {
namespace {

// A header is many reads of a few bytes, which a buffer serves; a tensor goes past it, straight to where it belongs.
class FileSource : public ByteSource {
 public:
  explicit FileSource(File file) : file_(std::move(file)) {}

  Result<std::size_t> read(void* out, std::size_t n) override {
    auto* const bytes = static_cast<std::byte*>(out);
    std::size_t n_done = 0;
    while (n_done < n) {
      if (buffered_.empty() && n - n_done >= buffer_.size()) {
        SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, read_file({bytes + n_done, n - n_done}));
        n_done += n_read;
        if (n_read == 0) {
          break;
        }
        continue;
      }
      if (buffered_.empty()) {
        SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, read_file(buffer_));
        buffered_ = std::span(buffer_).first(n_read);
        if (n_read == 0) {
          break;
        }
      }
      const std::size_t n_copied = std::min(buffered_.size(), n - n_done);
      std::memcpy(bytes + n_done, buffered_.data(), n_copied);
      buffered_ = buffered_.subspan(n_copied);
      n_done += n_copied;
    }
    return n_done;
  }

  Result<std::uint64_t> skip(std::uint64_t n) override {
    const std::uint64_t n_buffered = std::min<std::uint64_t>(n, buffered_.size());
    buffered_ = buffered_.subspan(static_cast<std::size_t>(n_buffered));
    const std::uint64_t n_behind = std::min(n - n_buffered, file_.size() - std::min(file_.size(), position_));
    file_.skip(n_behind);
    position_ += n_behind;
    return n_buffered + n_behind;
  }

  std::optional<std::uint64_t> size() const override { return file_.size(); }

 private:
  // What the system gives at once; 0 only at the end.
  Result<std::size_t> read_file(std::span<std::byte> out) {
    const Result<std::size_t> n_read = file_.read(out);
    if (!n_read) {
      return n_read.status().with_context("reading failed at byte " + std::to_string(position_));
    }
    position_ += *n_read;
    return *n_read;
  }

  File file_;
  std::uint64_t position_ = 0;  // of the file
  std::array<std::byte, 32768> buffer_;
  std::span<const std::byte> buffered_;  // the rest of what was read into the buffer
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
std::string_view irregular_kind(FileKind kind) {
  switch (kind) {
    case FileKind::kRegular: return "";
    case FileKind::kDirectory: return "a directory";
    case FileKind::kFifo: return "a FIFO";
    case FileKind::kDevice: return "a device";
    case FileKind::kSocket: return "a socket";
    case FileKind::kOther: break;
  }
  return "not a regular file";
}

Status open_failure(const std::string& path, const Status& failure) {
  std::string message = "cannot open '" + path + "': " + failure.message();
  if (path.starts_with("file:")) {
    message += "; expected a plain path, without 'file://' and with no %20 for spaces";
  }
  return {failure.code(), message};
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
  Result<File> file = File::open(path, /*waits=*/false);
  if (!file) {
    return open_failure(path, file.status());
  }
  if (const std::string_view kind = irregular_kind(file->kind()); !kind.empty()) {
    return Status(Code::kInvalidArgument, "'" + path + "' is " + std::string(kind) + "; expected a file");
  }
  return std::unique_ptr<ByteSource>(std::make_unique<FileSource>(std::move(file).value()));
}

std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> callback_source(std::function<std::size_t(void*, std::size_t)> read) {
  return std::make_unique<CallbackSource>(std::move(read));
}

}  // namespace speech
