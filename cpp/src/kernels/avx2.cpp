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

// --- Primitives ------------------------------------------------------------------------------------------------------

using Vec = __m256;
using Words = __m256i;
constexpr size_t kWidth = 8;  // floats in a vector
constexpr size_t kSumChains = 8;
constexpr size_t kRegisters = 16;
constexpr size_t kMostBlockPanels = 2;

alignas(32) constexpr int32_t kTailMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

// All ones in the first count <= 8 lanes.
SPEECH_INLINE __m256i tail_mask(size_t count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kTailMasks + kWidth - count));
}

SPEECH_INLINE Vec zero() { return _mm256_setzero_ps(); }
SPEECH_INLINE Vec splat(float x) { return _mm256_set1_ps(x); }
SPEECH_INLINE Vec load(const float* p) { return _mm256_loadu_ps(p); }
SPEECH_INLINE void store(float* p, Vec v) { _mm256_storeu_ps(p, v); }
SPEECH_INLINE Vec load_part(const float* p, size_t n) { return _mm256_maskload_ps(p, tail_mask(n)); }
SPEECH_INLINE void store_part(float* p, Vec v, size_t n) { _mm256_maskstore_ps(p, tail_mask(n), v); }
SPEECH_INLINE Vec keep_first(Vec v, size_t n) { return _mm256_and_ps(v, _mm256_castsi256_ps(tail_mask(n))); }
SPEECH_INLINE Vec load_halves(const uint8_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
SPEECH_INLINE void store_halves(uint16_t* p, Vec v) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
SPEECH_INLINE float half_value(const uint8_t* p) {
  uint16_t half;
  __builtin_memcpy(&half, p, sizeof(half));
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(half)));
}
SPEECH_INLINE uint16_t half_bits(float x) {
  return static_cast<uint16_t>(
      _mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC), 0));
}

SPEECH_INLINE Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
SPEECH_INLINE Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
SPEECH_INLINE Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
SPEECH_INLINE Vec divide(Vec a, Vec b) { return _mm256_div_ps(a, b); }
SPEECH_INLINE Vec maximum(Vec a, Vec b) { return _mm256_max_ps(a, b); }
SPEECH_INLINE Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
SPEECH_INLINE Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }
SPEECH_INLINE Vec absolute(Vec v) { return _mm256_andnot_ps(splat(-0.0F), v); }
SPEECH_INLINE Vec negate(Vec v) { return _mm256_xor_ps(v, splat(-0.0F)); }
SPEECH_INLINE Vec round_to_even(Vec v) { return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
SPEECH_INLINE Vec power_of_two(Vec v) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(v), _mm256_set1_epi32(127)), 23));
}
SPEECH_INLINE Vec keep_from(float bound, Vec x, Vec v) {
  return _mm256_and_ps(v, _mm256_cmp_ps(x, splat(bound), _CMP_NLT_UQ));
}
SPEECH_INLINE Vec where_negative(Vec x, Vec a, Vec b) { return _mm256_blendv_ps(b, a, x); }

// ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + (v6 + v7)): the order of every sum over lanes here.
SPEECH_INLINE float sum_lanes(Vec v) {
  const __m256 pairs = _mm256_hadd_ps(v, v);
  const __m256 fours = _mm256_hadd_ps(pairs, pairs);
  return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
}
SPEECH_INLINE void sum_each_of_8(const Vec* v, float* out) {
  const __m256 s0123 = _mm256_hadd_ps(_mm256_hadd_ps(v[0], v[1]), _mm256_hadd_ps(v[2], v[3]));
  const __m256 s4567 = _mm256_hadd_ps(_mm256_hadd_ps(v[4], v[5]), _mm256_hadd_ps(v[6], v[7]));
  store(out, add(_mm256_permute2f128_ps(s0123, s4567, 0x20), _mm256_permute2f128_ps(s0123, s4567, 0x31)));
}
SPEECH_INLINE float max_lane(Vec v) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

SPEECH_INLINE Vec load_bytes(const int8_t* p) {
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
}
SPEECH_INLINE Words load_words(const uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
SPEECH_INLINE Words words(int32_t w) { return _mm256_set1_epi32(w); }
template <int kBits>
SPEECH_INLINE Words shift_left(Words w) {
  return _mm256_slli_epi32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right(Words w) {
  return _mm256_srli_epi32(w, kBits);
}
template <int kBits>
SPEECH_INLINE Words shift_right_signed(Words w) {
  return _mm256_srai_epi32(w, kBits);
}
SPEECH_INLINE Words shift_right_by(Words w, int bits) { return _mm256_srl_epi32(w, _mm_cvtsi32_si128(bits)); }
SPEECH_INLINE Words both(Words a, Words b) { return _mm256_and_si256(a, b); }
SPEECH_INLINE Words either(Words a, Words b) { return _mm256_or_si256(a, b); }
SPEECH_INLINE Vec to_float(Words w) { return _mm256_cvtepi32_ps(w); }

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
