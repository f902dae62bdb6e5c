// Bytes of a recording by offset, from memory or a file. Knows nothing of what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"

namespace speech {

class ByteInput {
 public:
  virtual ~ByteInput() = default;

  /// Bytes in all.
  virtual std::uint64_t size() const = 0;

  /// Fills `out` with the bytes from `offset` on; returns how many there were, fewer than asked for only at the end.
  /// Fails with io.
  virtual Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> out) = 0;
};

/// The memory must outlive the input.
std::unique_ptr<ByteInput> memory_input(std::span<const std::byte> bytes);

/// A regular file is read where it lies; a pipe or another stream is read to its end first, if it begins like a WAV
/// file, up to 1 GiB. path: bytes as the system takes them, UTF-8 on every system that we build for. Fails with
/// not_found, with io (a directory, no permission, a failed read), with bad_format or unsupported for a stream as
/// above.
Result<std::unique_ptr<ByteInput>> file_input(const std::string& path);

}  // namespace speech
