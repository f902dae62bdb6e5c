// Bytes of a model file from a path, memory or callbacks, one after the other. Knows nothing of what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/status.h"

namespace speech {

/// For one thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Up to n bytes into out; fewer only at the end. io on a failed read.
  virtual Result<std::size_t> read(void* out, std::size_t n) = 0;
  /// Passes over n bytes; gives how many there were, fewer than n only at the end. Reads them unless the source can
  /// jump.
  virtual Result<std::uint64_t> skip(std::uint64_t n);
  /// Bytes in all, if known.
  virtual std::optional<std::uint64_t> size() const = 0;
};

/// not_found, io; a directory, FIFO or other non-regular file is refused by name with invalid_argument. Paths are bytes
/// (UTF-8 on every system that we build for).
Result<std::unique_ptr<ByteSource>> open_file_source(const std::string& path);

/// The memory must outlive the source.
std::unique_ptr<ByteSource> memory_source(std::span<const std::byte> bytes);

/// read(out, n) gives bytes read, less than n only at the end; it is not called again after that. A count above n is an
/// io error.
std::unique_ptr<ByteSource> callback_source(std::function<std::size_t(void* out, std::size_t n)> read);

}  // namespace speech
