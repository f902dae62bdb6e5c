// Kernels for AVX-512 (F, BW, DQ, VL) on x86-64; empty on other architectures. Knows nothing but its table; see
// avx2.cpp for what keeps its code out of other paths.

#include "kernels/kernel_table.h"

#if defined(__x86_64__)

#if defined(__GNUC__) && !defined(__clang__)
// The undefined vectors of GCC 12's own header, which no lane of a result depends on.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

#define SPEECH_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")))
#define SPEECH_INLINE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"), SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/avx512_vectors.h"

// --- Integer products, as in avx2.cpp --------------------------------------------------------------------------------

constexpr size_t kBlockPanels = 2;
constexpr size_t kBlockRows = 6;
constexpr size_t kRowUnit = 1;
constexpr int kSignedZeroBits = 0;

struct Sums {
  Words narrow;
  Words wide;
};

SPEECH_INLINE Sums start_sums(Words w) { return {w, w}; }
template <bool kSigned>
SPEECH_INLINE void prepare(Words& /*even*/, Words& /*odd*/) {}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* /*second*/) {
  const Words ones = _mm512_set1_epi16(1);
  const Words in = splat_words(x + 4 * kGroup);
  if constexpr (kSigned) {
    const Words with_sign = _mm512_mask_sub_epi8(in, _mm512_movepi8_mask(codes), words(0), in);
    const Words pairs = _mm512_maddubs_epi16(_mm512_abs_epi8(codes), with_sign);
    s.wide = add_words(s.wide, _mm512_madd_epi16(pairs, ones));
  } else {
    const Words pairs = _mm512_maddubs_epi16(codes, in);
    s.narrow = kGroup % 4 == 0 ? pairs : _mm512_add_epi16(s.narrow, pairs);
    if constexpr (kGroup % 4 == 3) {
      s.wide = add_words(s.wide, _mm512_madd_epi16(s.narrow, ones));
    }
  }
}
template <bool kSecond>
SPEECH_INLINE Words total(const Sums& s, Words /*begin*/) {
  return s.wide;
}

#include "kernels/vector_table.h"
#include "kernels/x86_transpose.h"

// --- Matrix product on packed panels ---------------------------------------------------------------------------------

// A panel is one vector wide: twelve sums, each with the activation as an operand from memory, hide the latency.
constexpr size_t kTileRows = 12;

// One register tile: rows r < n_rows <= kTileRows of c. Rows that are not there repeat the last one and are not stored.
SPEECH_INLINE void gemm_tile(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_step,
                             float* c, size_t c_stride, bool accumulate) {
  const float* from[kTileRows];
  Vec s[kTileRows];
  SPEECH_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    from[r] = a + (r < n_rows ? r : n_rows - 1) * a_stride;
    s[r] = zero();
  }
  SPEECH_UNROLL_4
  for (size_t i = 0; i < k; ++i, b += b_step) {
    const Vec w = load(b);
    SPEECH_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) {
      s[r] = fma(splat(from[r][i]), w, s[r]);
    }
  }
  SPEECH_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    if (r < n_rows) {
      float* to = c + r * c_stride;
      store(to, accumulate ? add(load(to), s[r]) : s[r]);
    }
  }
}

SPEECH_TARGET void gemm(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_row_stride,
                        size_t b_panel_stride, size_t n_panels, float* c, size_t c_stride, bool accumulate) {
  for (size_t p = 0; p < n_panels; ++p) {
    for (size_t r = 0; r < n_rows; r += kTileRows) {
      gemm_tile(a + r * a_stride, a_stride, n_rows - r < kTileRows ? n_rows - r : kTileRows, k, b + p * b_panel_stride,
                b_row_stride, c + r * c_stride + p * kPanelColumns, c_stride, accumulate);
    }
  }
}

constexpr KernelTable kAvx512Table = SPEECH_VECTOR_TABLE("avx512");

}  // namespace

const KernelTable* avx512_kernels() { return &kAvx512Table; }

}  // namespace speech

#else

namespace speech {

const KernelTable* avx512_kernels() { return nullptr; }

}  // namespace speech

#endif
