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
  File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (waits ? 0 : O_NONBLOCK)), FileKind::kOther, 0);
  if (file.descriptor_ < 0) {
    return failure(errno);
  }
  struct stat about = {};
  if (::fstat(file.descriptor_, &about) != 0) {
    return failure(errno);
  }
  file.kind_ = kind_of(about.st_mode);
  file.size_ = static_cast<std::uint64_t>(about.st_size);
  return file;
}

File::~File() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<std::size_t> File::read(std::span<std::byte> out) {
  return uninterrupted([&] { return ::read(descriptor_, out.data(), std::min(out.size(), kMostAtOnce)); });
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<std::byte> out) const {
  std::size_t n_done = 0;
  while (n_done < out.size()) {
    const std::span<std::byte> rest = out.subspan(n_done);
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, uninterrupted([&] {
                              return ::pread(descriptor_, rest.data(), std::min(rest.size(), kMostAtOnce),
                                             static_cast<off_t>(offset + n_done));
                            }));
    n_done += n_read;
    if (n_read == 0) {
      break;
    }
  }
  return n_done;
}

Status File::skip(std::uint64_t n_bytes) {
  if (::lseek(descriptor_, static_cast<off_t>(n_bytes), SEEK_CUR) < 0) {
    return failure(errno);
  }
  return Status::ok();
}

}  // namespace speech
