// POSIX, which every system that we build for has, WebAssembly's too.

// Files of 2 GiB and more, where a long has 32 bits. Before any header.
// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming): the system's
#define _FILE_OFFSET_BITS 64

#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

namespace speech {
namespace {

// Some systems take no more than 2 GiB.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;

Status failure(int error) {
  const bool is_missing = error == ENOENT || error == ENOTDIR;
  return {is_missing ? Code::kNotFound : Code::kIo, std::generic_category().message(error)};
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISFIFO(mode)) return FileKind::kFifo;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return FileKind::kDevice;
  if (S_ISSOCK(mode)) return FileKind::kSocket;
  return FileKind::kOther;
}

// read: () -> ssize_t. Tried again when a signal came.
template <typename Read>
Result<std::size_t> uninterrupted(Read&& read) {
  ssize_t n_read = -1;
  do {
    n_read = read();
  } while (n_read < 0 && errno == EINTR);
  if (n_read < 0) {
    return failure(errno);
  }
  return static_cast<std::size_t>(n_read);
}

}  // namespace

Result<File> File::open(const std::string& path, bool waits) {
  if (const Opener opener = opener_of(path)) {
    return open_by(opener, path);
  }
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)));
  if (file.descriptor_ < 0) {
    return failure(errno);
  }
  SPEECH_RETURN_IF_ERROR(file.look());
  return file;
}

Result<File> File::open_by(const Opener& opener, const std::string& path) {
  SPEECH_ASSIGN_OR_RETURN(const OpenedFile opened, opener(path));
  File file(opened.descriptor);
  SPEECH_RETURN_IF_ERROR(file.look().with_context("the app opened something else"));
  const auto all = static_cast<std::int64_t>(file.size_);
  const std::int64_t n_bytes = opened.n_bytes < 0 ? all - opened.offset : opened.n_bytes;
  if (file.kind_ != FileKind::kRegular || opened.offset < 0 || n_bytes < 0 || n_bytes > all - opened.offset) {
    return Status(Code::kIo, "the app names " + std::to_string(opened.n_bytes) + " bytes from " +
                                 std::to_string(opened.offset) + " on of " + std::to_string(all) +
                                 "; expected a part of a regular file");
  }
  file.begin_ = static_cast<std::uint64_t>(opened.offset);
  file.size_ = static_cast<std::uint64_t>(n_bytes);
  file.end_ = file.begin_ + file.size_;
  return file;
}

Status File::look() {
  struct stat about = {};
  if (::fstat(descriptor_, &about) != 0) {
    return failure(errno);
  }
  kind_ = kind_of(about.st_mode);
  size_ = static_cast<std::uint64_t>(about.st_size);
  return Status::ok();
}

File::~File() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<std::size_t> File::read(std::span<std::byte> out) {
  if (kind_ != FileKind::kRegular) {
    return uninterrupted([&] { return ::read(descriptor_, out.data(), std::min(out.size(), kMostAtOnce)); });
  }
  // By place, for the system's own may be shared with whoever opened the file.
  SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, read_once(position_, out));
  position_ += n_read;
  return n_read;
}

Result<std::size_t> File::read_once(std::uint64_t offset, std::span<std::byte> out) const {
  const std::uint64_t place = begin_ + offset;
  const std::uint64_t n = std::min<std::uint64_t>({out.size(), end_ - std::min(end_, place), kMostAtOnce});
  return uninterrupted(
      [&] { return ::pread(descriptor_, out.data(), static_cast<std::size_t>(n), static_cast<off_t>(place)); });
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t n_done = 0;
  while (n_done < out.size()) {
    const std::span<std::byte> rest = out.subspan(n_done);
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, read_once(offset + n_done, rest));
    n_done += n_read;
    if (n_read == 0) {
      break;
    }
  }
  return n_done;
}

}  // namespace speech
