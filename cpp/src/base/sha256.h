// SHA-256, for telling data apart. Source: FIPS 180-4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace speech {

/// Takes data in any number of pieces.
class Sha256 {
 public:
  void add(std::span<const std::byte> data);

  /// 64 lower-case hexadecimal digits of all that was added; the object is then of no more use.
  std::string finish();

 private:
  void compress(const std::byte* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_{};
  std::size_t n_in_block_ = 0;
  std::uint64_t n_bytes_ = 0;
};

}  // namespace speech
