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

// One register tile: kRows rows of c in kPanels panels, each one vector wide. 12 x 2 sums and 2 vectors of weights fill
// 26 of 32 registers, for 14 loads to 24 multiply-adds. Three rows share a pointer, so that these stay in registers.
template <size_t kRows, size_t kPanels>
SPEECH_TARGET void gemm_tile(const float* a, size_t a_stride, size_t k, const float* b, size_t b_row_stride,
                             size_t b_panel_stride, float* c, size_t c_stride, bool accumulate) {
  constexpr size_t kPointers = (kRows + 2) / 3;
  const float* from[kPointers];
  Vec s[kRows][kPanels];
  SPEECH_UNROLL
  for (size_t i = 0; i < kPointers; ++i) {
    from[i] = a + i * 3 * a_stride;
  }
  SPEECH_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    SPEECH_UNROLL
    for (size_t p = 0; p < kPanels; ++p) {
      s[r][p] = zero();
    }
  }
  for (size_t i = 0; i < k; ++i, b += b_row_stride) {
    Vec w[kPanels];
    SPEECH_UNROLL
    for (size_t p = 0; p < kPanels; ++p) {
      w[p] = load(b + p * b_panel_stride);
    }
    SPEECH_UNROLL
    for (size_t r = 0; r < kRows; ++r) {
      const Vec x = splat(from[r / 3][r % 3 * a_stride]);
      SPEECH_UNROLL
      for (size_t p = 0; p < kPanels; ++p) {
        s[r][p] = fma(x, w[p], s[r][p]);
      }
    }
    SPEECH_UNROLL
    for (size_t pointer = 0; pointer < kPointers; ++pointer) {
      ++from[pointer];
    }
  }
  SPEECH_UNROLL
  for (size_t r = 0; r < kRows; ++r) {
    SPEECH_UNROLL
    for (size_t p = 0; p < kPanels; ++p) {
      float* to = c + r * c_stride + p * kPanelColumns;
      store(to, accumulate ? add(load(to), s[r][p]) : s[r][p]);
    }
  }
}

template <size_t kPanels>
SPEECH_INLINE void gemm_panels(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b,
                               size_t b_row_stride, size_t b_panel_stride, float* c, size_t c_stride, bool accumulate) {
  size_t r = 0;
  for (; r + 12 <= n_rows; r += 12) {
    gemm_tile<12, kPanels>(a + r * a_stride, a_stride, k, b, b_row_stride, b_panel_stride, c + r * c_stride, c_stride,
                           accumulate);
  }
  for (; r + 4 <= n_rows; r += 4) {
    gemm_tile<4, kPanels>(a + r * a_stride, a_stride, k, b, b_row_stride, b_panel_stride, c + r * c_stride, c_stride,
                          accumulate);
  }
  for (; r < n_rows; ++r) {
    gemm_tile<1, kPanels>(a + r * a_stride, a_stride, k, b, b_row_stride, b_panel_stride, c + r * c_stride, c_stride,
                          accumulate);
  }
}

SPEECH_TARGET void gemm(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_row_stride,
                        size_t b_panel_stride, size_t n_panels, float* c, size_t c_stride, bool accumulate) {
  size_t p = 0;
  for (; p + 2 <= n_panels; p += 2) {
    gemm_panels<2>(a, a_stride, n_rows, k, b + p * b_panel_stride, b_row_stride, b_panel_stride, c + p * kPanelColumns,
                   c_stride, accumulate);
  }
  if (p < n_panels) {
    gemm_panels<1>(a, a_stride, n_rows, k, b + p * b_panel_stride, b_row_stride, b_panel_stride, c + p * kPanelColumns,
                   c_stride, accumulate);
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
