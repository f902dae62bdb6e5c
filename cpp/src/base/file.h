// A file that is open for reading. The only place that asks the operating system about files; it knows nothing of what
// is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/opener.h"
#include "base/status.h"

namespace speech {

enum class FileKind { kRegular, kDirectory, kFifo, kDevice, kSocket, kOther };

/// Closed with the object.
class File {
 public:
  /// waits: to open a FIFO waits for somebody who writes into it; otherwise it is open at once, and reading it would
  /// fail. Any kind of file is opened. A path of an opener (base/opener.h) is opened by it: the file is the bytes that
  /// it names. Fails with not_found or io, with the system's words or the opener's.
  static Result<File> open(const std::string& path, bool waits);

  File(File&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)),
        kind_(other.kind_),
        size_(other.size_),
        begin_(other.begin_),
        end_(other.end_),
        position_(other.position_) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File& operator=(File&&) = delete;
  ~File();

  FileKind kind() const { return kind_; }
  /// Bytes of a regular file when it was opened.
  std::uint64_t size() const { return size_; }

  /// The next bytes, as many as the system gives at once; 0 only at the end. Fails with io, with the system's words.
  Result<std::size_t> read(std::span<std::byte> out);
  /// All of `out` from a place on, which read() does not notice; fewer only at the end. Regular files only.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) const;
  /// Moves the place of read() on. Regular files only.
  void skip(std::uint64_t n_bytes) { position_ += n_bytes; }

 private:
  explicit File(int descriptor) : descriptor_(descriptor) {}

  static Result<File> open_by(const Opener& opener, const std::string& path);
  Status look();
  Result<std::size_t> read_once(std::uint64_t offset, std::span<std::byte> out) const;

  int descriptor_;
  FileKind kind_ = FileKind::kOther;
  std::uint64_t size_ = 0;
  // The bytes that are meant, in the system's file: all that there are, or those that an opener named.
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t position_ = 0;  // of read() in a regular file
};

}  // namespace speech
