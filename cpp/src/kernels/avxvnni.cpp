// The table of AVX2 with the integer products of AVX-VNNI on x86-64; empty on other architectures.
// Knows nothing but its table; see avx2.cpp for what keeps its code out of other paths.

#include "kernels/kernel_table.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define SPEECH_TARGET_NAME_ "avx2,fma,f16c,avxvnni"
#define SPEECH_TARGET __attribute__((target(SPEECH_TARGET_NAME_)))
#define SPEECH_INLINE __attribute__((target(SPEECH_TARGET_NAME_), SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/avx2_vectors.h"

constexpr size_t kBlockPanels = 1;
constexpr size_t kBlockRows = 6;
constexpr size_t kRowUnit = 1;
constexpr int kSignedZeroBits = 7;  // the instruction takes codes without a sign

using Sums = Words;

SPEECH_INLINE Sums start_sums(Words w) { return w; }
template <bool kSigned>
SPEECH_INLINE void prepare(Words& even, Words& odd) {
  if constexpr (kSigned) {
    even = _mm256_xor_si256(even, _mm256_set1_epi8(-128));
    odd = _mm256_xor_si256(odd, _mm256_set1_epi8(-128));
  }
}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* /*second*/) {
  s = _mm256_dpbusd_avx_epi32(s, codes, splat_words(x + 4 * kGroup));
}
template <bool kSecond>
SPEECH_INLINE Words total(Sums s, Words /*begin*/) {
  return s;
}

#include "kernels/vector_blocks.h"
// Needs the text above.
#include "kernels/extension_table.h"

}  // namespace

const KernelTable* avxvnni_kernels() {
  static const KernelTable kTable = with_own_products(*avx2_kernels(), "avxvnni");
  return &kTable;
}

}  // namespace speech

#else

namespace speech {

const KernelTable* avxvnni_kernels() { return nullptr; }

}  // namespace speech

#endif
