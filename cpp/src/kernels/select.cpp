// Picks the kernel table of this machine, once; see select.h.

#include "kernels/select.h"

#include <array>
#include <cstdlib>

#include "base/log.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace speech {
namespace {

#if defined(__x86_64__)
// AVX2, FMA and F16C are of use only if the operating system saves the upper halves of the YMM registers (XCR0 bits 1,
// 2).
bool machine_has_avx2() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) {
    return false;
  }
  constexpr unsigned kNeeded = bit_FMA | bit_F16C | bit_OSXSAVE | bit_AVX;
  if ((c & kNeeded) != kNeeded) {
    return false;
  }
  unsigned xcr0_low = 0;
  unsigned xcr0_high = 0;
  __asm__("xgetbv" : "=a"(xcr0_low), "=d"(xcr0_high) : "c"(0));
  if ((xcr0_low & 6U) != 6U) {
    return false;
  }
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0;
}
#else
bool machine_has_avx2() { return false; }
#endif

struct Available {
  std::array<const KernelTable*, 2> tables = {};
  std::size_t count = 0;
};

Available find_available() {
  Available found;
  found.tables[found.count++] = scalar_kernels();
  if (avx2_kernels() != nullptr && machine_has_avx2()) {
    found.tables[found.count++] = avx2_kernels();
  }
  return found;
}

}  // namespace

std::span<const KernelTable* const> available_kernels() {
  static const Available kFound = find_available();
  return {kFound.tables.data(), kFound.count};
}

KernelChoice choose_kernels(std::string_view forced, std::span<const KernelTable* const> available) {
  KernelChoice choice{available.back(), {}};
  if (forced.empty()) {
    return choice;
  }
  std::string names;
  for (const KernelTable* table : available) {
    if (forced == table->name) {
      return {table, {}};
    }
    names += names.empty() ? table->name : std::string(", ") + table->name;
  }
  choice.warning = "WSPKIT_KERNELS is '" + std::string(forced) + "', but this machine and build have: " + names +
                   "; taking " + choice.table->name;
  return choice;
}

const KernelTable& active_kernels() {
  static const KernelTable& active = []() -> const KernelTable& {
    const char* forced = std::getenv("WSPKIT_KERNELS");
    const KernelChoice choice = choose_kernels(forced != nullptr ? forced : "", available_kernels());
    if (!choice.warning.empty()) {
      log(LogLevel::kWarn, "%s", choice.warning.c_str());
    }
    return *choice.table;
  }();
  return active;
}

}  // namespace speech
