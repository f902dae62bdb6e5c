// Picks the kernel table of this machine, once; see select.h.

#include "kernels/select.h"

#include <array>
#include <cstdlib>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace speech {
namespace {

#if defined(__x86_64__)
struct Machine {
  bool avx2 = false;  // with FMA and F16C
  bool avxvnni = false;
  bool avx512 = false;  // F, BW, DQ and VL, and all of AVX2's
  bool avx512vnni = false;
};

// Instructions are of use only if the operating system saves their registers: XCR0 has bits 1 and 2 for the YMM, 5 to 7
// for the ZMM and mask registers.
Machine look_at_machine() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) {
    return {};
  }
  constexpr unsigned kNeeded = bit_FMA | bit_F16C | bit_OSXSAVE | bit_AVX;
  if ((c & kNeeded) != kNeeded) {
    return {};
  }
  unsigned xcr0_low = 0;
  unsigned xcr0_high = 0;
  __asm__("xgetbv" : "=a"(xcr0_low), "=d"(xcr0_high) : "c"(0));
  if ((xcr0_low & 6U) != 6U || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) {
    return {};
  }
  constexpr unsigned kAvx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  Machine machine;
  machine.avx2 = (b & bit_AVX2) != 0;
  machine.avx512 = machine.avx2 && (b & kAvx512) == kAvx512 && (xcr0_low & 0xE6U) == 0xE6U;
  machine.avx512vnni = machine.avx512 && (c & bit_AVX512VNNI) != 0;
  constexpr unsigned kAvxVnni = 1U << 4U;
  machine.avxvnni = machine.avx2 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
  return machine;
}
#elif defined(__aarch64__) && defined(__linux__)
bool has_dotprod() { return (getauxval(AT_HWCAP) & (1UL << 20U)) != 0; }  // HWCAP_ASIMDDP
bool has_i8mm() { return (getauxval(AT_HWCAP2) & (1UL << 13U)) != 0; }    // HWCAP2_I8MM
#elif defined(__aarch64__) && defined(__APPLE__)
bool has_feature(const char* name) {
  int has = 0;
  std::size_t size = sizeof(has);
  return sysctlbyname(name, &has, &size, nullptr, 0) == 0 && has != 0;
}
bool has_dotprod() { return has_feature("hw.optional.arm.FEAT_DotProd"); }
bool has_i8mm() { return has_feature("hw.optional.arm.FEAT_I8MM"); }
#else
bool has_dotprod() { return false; }
bool has_i8mm() { return false; }
#endif

struct Available {
  std::array<const KernelTable*, 5> tables = {};  // the fastest last
  std::size_t count = 0;

  void add(const KernelTable* table) { tables[count++] = table; }
};

Available find_available() {
  Available found;
  found.add(scalar_kernels());
#if defined(__x86_64__)
  const Machine machine = look_at_machine();
  if (machine.avx2) {
    found.add(avx2_kernels());
  }
  if (machine.avxvnni) {
    found.add(avxvnni_kernels());
  }
  if (machine.avx512) {
    found.add(avx512_kernels());
  }
  if (machine.avx512vnni) {
    found.add(avx512vnni_kernels());
  }
#else
  if (neon_kernels() != nullptr) {
    found.add(neon_kernels());
  }
  if (has_dotprod() && neon_dotprod_kernels() != nullptr) {
    found.add(neon_dotprod_kernels());
  }
  // Its table takes single rows from the one above.
  if (has_dotprod() && has_i8mm() && neon_i8mm_kernels() != nullptr) {
    found.add(neon_i8mm_kernels());
  }
#endif
  return found;
}

}  // namespace

std::span<const KernelTable* const> available_kernels() {
  static const Available kFound = find_available();
  return {kFound.tables.data(), kFound.count};
}

Result<const KernelTable*> choose_kernels(std::string_view forced, std::span<const KernelTable* const> available) {
  if (forced.empty()) {
    return available.back();
  }
  std::string names;
  for (const KernelTable* table : available) {
    if (forced == table->name) {
      return table;
    }
    names += names.empty() ? table->name : std::string(", ") + table->name;
  }
  return Status(Code::kUnsupported, "WSPKIT_KERNELS asks for the CPU kernels '" + std::string(forced) +
                                        "', but this machine and build have: " + names);
}

const Result<const KernelTable*>& active_kernels() {
  static const Result<const KernelTable*> kActive = [] {
    const char* forced = std::getenv("WSPKIT_KERNELS");
    return choose_kernels(forced != nullptr ? forced : "", available_kernels());
  }();
  return kActive;
}

}  // namespace speech
