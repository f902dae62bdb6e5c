// Fresh memory of the operating system; see pages.h.

#include "base/pages.h"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace speech {

#if defined(__linux__)

void fetch_pages(void* begin, std::size_t n_bytes) {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which older headers do not name
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  // Whole pages of the range: what lies beside it may be somebody else's.
  const std::uintptr_t first = (address + page - 1) / page * page;
  const std::uintptr_t last = (address + n_bytes) / page * page;
  if (first < last) {
    madvise(static_cast<char*>(begin) + (first - address), last - first, kPopulateWrite);
  }
}

#else

void fetch_pages(void* /*begin*/, std::size_t /*n_bytes*/) {}

#endif

}  // namespace speech
