// Kernels for AVX2, FMA and F16C on x86-64; empty on other architectures. Knows nothing but its table.
//
// The target is set on each function, not on the file, and nothing here has external linkage but the getter of the
// table: so no code of this file can end up in a path that runs on a machine without these instructions. For the same
// reason nothing of std:: and no inline function of another header is used. No pointer is assumed to be aligned.

#include "kernels/kernel_table.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define SPEECH_TARGET __attribute__((target("avx2,fma,f16c")))
#define SPEECH_INLINE __attribute__((target("avx2,fma,f16c"), SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/avx2_vectors.h"

// --- Integer products ------------------------------------------------------------------------------------------------

constexpr size_t kBlockPanels = 1;
constexpr size_t kBlockRows = 4;
constexpr size_t kRowUnit = 1;
constexpr int kSignedZeroBits = 0;

struct Sums {
  Words narrow;  // 16 bits: four groups of codes below 32 fit, 4 * 2 * 31 * 127 = 31496
  Words wide;
};

SPEECH_INLINE Sums start_sums(Words w) { return {w, w}; }
template <bool kSigned>
SPEECH_INLINE void prepare(Words& /*even*/, Words& /*odd*/) {}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* /*second*/) {
  const Words ones = _mm256_set1_epi16(1);
  const Words in = splat_words(x + 4 * kGroup);
  if constexpr (kSigned) {
    // The sign of a code moves to the activation; two products of at most 128 * 127 fit into 16 bits.
    const Words pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(codes), _mm256_sign_epi8(in, codes));
    s.wide = add_words(s.wide, _mm256_madd_epi16(pairs, ones));
  } else {
    const Words pairs = _mm256_maddubs_epi16(codes, in);
    s.narrow = kGroup % 4 == 0 ? pairs : _mm256_add_epi16(s.narrow, pairs);
    if constexpr (kGroup % 4 == 3) {
      s.wide = add_words(s.wide, _mm256_madd_epi16(s.narrow, ones));
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

constexpr size_t kTileRows = 6;  // 6 x 2 vectors of sums, 2 of weights and 1 of activations fill 15 of 16 registers

// One register tile: rows r < n_rows <= kTileRows of c. Rows that are not there repeat the last one and are not stored.
template <bool kPacked>
SPEECH_INLINE void gemm_tile(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b,
                             size_t b_row_stride, float* c, size_t c_stride, bool accumulate) {
  const size_t last = n_rows - 1;
  const float* a0 = a;
  const float* a1 = a + (last < 1 ? last : 1) * a_stride;
  const float* a2 = a + (last < 2 ? last : 2) * a_stride;
  const float* a3 = a + (last < 3 ? last : 3) * a_stride;
  const float* a4 = a + (last < 4 ? last : 4) * a_stride;
  const float* a5 = a + (last < 5 ? last : 5) * a_stride;
  Vec s00 = zero(), s01 = zero(), s10 = zero(), s11 = zero(), s20 = zero(), s21 = zero();
  Vec s30 = zero(), s31 = zero(), s40 = zero(), s41 = zero(), s50 = zero(), s51 = zero();
  const size_t b_step = kPacked ? kPanelColumns : b_row_stride;
  SPEECH_UNROLL_4
  for (size_t i = 0; i < k; ++i) {
    const Vec b0 = load(b);
    const Vec b1 = load(b + kWidth);
    b += b_step;
    Vec x = _mm256_broadcast_ss(a0 + i);
    s00 = fma(x, b0, s00);
    s01 = fma(x, b1, s01);
    x = _mm256_broadcast_ss(a1 + i);
    s10 = fma(x, b0, s10);
    s11 = fma(x, b1, s11);
    x = _mm256_broadcast_ss(a2 + i);
    s20 = fma(x, b0, s20);
    s21 = fma(x, b1, s21);
    x = _mm256_broadcast_ss(a3 + i);
    s30 = fma(x, b0, s30);
    s31 = fma(x, b1, s31);
    x = _mm256_broadcast_ss(a4 + i);
    s40 = fma(x, b0, s40);
    s41 = fma(x, b1, s41);
    x = _mm256_broadcast_ss(a5 + i);
    s50 = fma(x, b0, s50);
    s51 = fma(x, b1, s51);
  }
  const Vec sums[kTileRows][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}, {s40, s41}, {s50, s51}};
  SPEECH_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    if (r < n_rows) {
      float* to = c + r * c_stride;
      store(to, accumulate ? add(load(to), sums[r][0]) : sums[r][0]);
      store(to + kWidth, accumulate ? add(load(to + kWidth), sums[r][1]) : sums[r][1]);
    }
  }
}

SPEECH_TARGET void gemm(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_row_stride,
                        size_t b_panel_stride, size_t n_panels, float* c, size_t c_stride, bool accumulate) {
  for (size_t p = 0; p < n_panels; ++p) {
    for (size_t r = 0; r < n_rows; r += kTileRows) {
      const size_t count = n_rows - r < kTileRows ? n_rows - r : kTileRows;
      const float* rows = a + r * a_stride;
      const float* panel = b + p * b_panel_stride;
      float* out = c + r * c_stride + p * kPanelColumns;
      if (b_row_stride == kPanelColumns) {
        gemm_tile<true>(rows, a_stride, count, k, panel, b_row_stride, out, c_stride, accumulate);
      } else {
        gemm_tile<false>(rows, a_stride, count, k, panel, b_row_stride, out, c_stride, accumulate);
      }
    }
  }
}

constexpr KernelTable kAvx2Table = SPEECH_VECTOR_TABLE("avx2");

}  // namespace

const KernelTable* avx2_kernels() { return &kAvx2Table; }

}  // namespace speech

#else

namespace speech {

const KernelTable* avx2_kernels() { return nullptr; }

}  // namespace speech

#endif
