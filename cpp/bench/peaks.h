// What this machine can do at most: multiply-adds in registers, and bytes read from memory. The yardsticks of
// kernels.cpp; knows no kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace speech::bench {

/// GFLOP/s of F32 multiply-adds of one thread that never leave its registers, some milliseconds of them, with the
/// instructions of the kernel table `table` ("avx2", "neon" ...; plain C++ for any other).
double multiply_add_gflops(std::string_view table);

/// Reads as fast as one thread can.
class MemoryReader {
 public:
  MemoryReader();

  /// GB/s over the next 64 MB of 512 MB: each part is read again only after seven others, when most caches have lost
  /// it.
  double from_memory();

  /// GB/s over the same 64 MB again, which a last-level cache of some size still holds: what weights that fit into it
  /// may be read at. Equal to from_memory() where the cache is small.
  double from_cache();

 private:
  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

}  // namespace speech::bench
