// Memory, files that can be positioned, and streams that cannot.
#include "audio/byte_input.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "audio/wav_format.h"
#include "base/file.h"
#include "base/opener.h"

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

Status reading_failed(const Status& failure) { return failure.with_context("reading failed"); }

class FileInput final : public ByteInput {
 public:
  explicit FileInput(File file) : file_(std::move(file)) {}

  std::uint64_t size() const override { return file_.size(); }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset >= size()) {
      return std::size_t{0};
    }
    Result<std::size_t> n = file_.read_at(offset, out);
    return n ? n : reading_failed(n.status());
  }

 private:
  File file_;
};

/// As much as there is, up to out.size().
Result<std::size_t> read_fully(File& stream, std::span<std::byte> out) {
  std::size_t n_done = 0;
  while (n_done < out.size()) {
    const Result<std::size_t> n = stream.read(out.subspan(n_done));
    if (!n) {
      return reading_failed(n.status());
    }
    n_done += *n;
    if (*n == 0) {
      break;
    }
  }
  return n_done;
}

Result<std::unique_ptr<ByteInput>> stream_input(File& stream) {
  std::vector<std::byte> bytes;
  while (true) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kStreamBlockBytes);
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n, read_fully(stream, std::span(bytes).subspan(before)));
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
  Result<File> file = File::open(path, /*waits=*/true);
  if (!file) {
    const Status& failure = file.status();
    if (opener_of(path)) {
      return failure;
    }
    return failure.code() == Code::kNotFound ? Status(Code::kNotFound, "no such file")
                                             : failure.with_context("opening failed");
  }
  if (file->kind() == FileKind::kDirectory) {
    return Status(Code::kInvalidArgument, "it is a directory; expected a WAV file");
  }
  if (file->kind() != FileKind::kRegular) {
    return stream_input(*file);
  }
  return std::unique_ptr<ByteInput>(std::make_unique<FileInput>(std::move(file).value()));
}

}  // namespace speech
