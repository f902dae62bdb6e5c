// The table of AVX-512 with the integer products of AVX-512 VNNI on x86-64; empty on other architectures.
// Knows nothing but its table; see avx2.cpp for what keeps its code out of other paths.

#include "kernels/kernel_table.h"

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// The undefined vectors of GCC 12's own header, which no lane of a result depends on.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#define SPEECH_TARGET_NAME_ "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c"
#define SPEECH_TARGET __attribute__((target(SPEECH_TARGET_NAME_)))
#define SPEECH_INLINE __attribute__((target(SPEECH_TARGET_NAME_), SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/avx512_vectors.h"

constexpr size_t kBlockPanels = 2;
constexpr size_t kBlockRows = 12;
constexpr size_t kRowUnit = 1;
constexpr int kSignedZeroBits = 7;  // the instruction takes codes without a sign

using Sums = Words;

SPEECH_INLINE Sums start_sums(Words w) { return w; }
template <bool kSigned>
SPEECH_INLINE void prepare(Words& even, Words& odd) {
  if constexpr (kSigned) {
    even = _mm512_xor_si512(even, _mm512_set1_epi8(-128));
    odd = _mm512_xor_si512(odd, _mm512_set1_epi8(-128));
  }
}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* /*second*/) {
  s = _mm512_dpbusd_epi32(s, codes, splat_words(x + 4 * kGroup));
}
template <bool kSecond>
SPEECH_INLINE Words total(Sums s, Words /*begin*/) {
  return s;
}

#include "kernels/vector_blocks.h"
// Needs the text above.
#include "kernels/extension_table.h"

}  // namespace

const KernelTable* avx512vnni_kernels() {
  static const KernelTable kTable = with_own_products(*avx512_kernels(), "avx512vnni");
  return &kTable;
}

}  // namespace speech

#else

namespace speech {

const KernelTable* avx512vnni_kernels() { return nullptr; }

}  // namespace speech

#endif
