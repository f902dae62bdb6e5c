// Kernels for AVX2, FMA and F16C on x86-64; empty on other architectures. Knows nothing but its table.
//
// The target is set on each function, not on the file, and nothing here has external linkage but the getter of the
// table: so no code of this file can end up in a path that runs on a machine without these instructions. For the same
// reason nothing of std:: and no inline function of another header is used. No pointer is assumed to be aligned.

#include "kernels/kernel_table.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define SPEECH_AVX2 __attribute__((target("avx2,fma,f16c")))
#define SPEECH_AVX2_INLINE __attribute__((target("avx2,fma,f16c"), always_inline)) inline

namespace speech {
namespace {

constexpr size_t kWidth = 8;  // floats in a vector

// --- Loads of part of a vector ---------------------------------------------------------------------------------------

alignas(32) constexpr int32_t kTailMasks[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

// All ones in the first `count` <= 8 lanes.
SPEECH_AVX2_INLINE __m256i tail_mask(size_t count) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kTailMasks + kWidth - count));
}

SPEECH_AVX2_INLINE uint16_t load_u16(const uint8_t* p) {
  uint16_t value;
  __builtin_memcpy(&value, p, sizeof(value));
  return value;
}

// A binary16 in all lanes as float.
SPEECH_AVX2_INLINE __m256 broadcast_half(const uint8_t* p) {
  return _mm256_cvtph_ps(_mm_set1_epi16(static_cast<int16_t>(load_u16(p))));
}

SPEECH_AVX2_INLINE __m256 load_halves(const uint8_t* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}

// ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + (v6 + v7)) of each of eight vectors: the order of every sum over lanes here.
SPEECH_AVX2_INLINE __m256 sum_lanes_of_8(const __m256* v) {
  const __m256 s01 = _mm256_hadd_ps(v[0], v[1]);
  const __m256 s23 = _mm256_hadd_ps(v[2], v[3]);
  const __m256 s45 = _mm256_hadd_ps(v[4], v[5]);
  const __m256 s67 = _mm256_hadd_ps(v[6], v[7]);
  const __m256 s0123 = _mm256_hadd_ps(s01, s23);
  const __m256 s4567 = _mm256_hadd_ps(s45, s67);
  return _mm256_add_ps(_mm256_permute2f128_ps(s0123, s4567, 0x20), _mm256_permute2f128_ps(s0123, s4567, 0x31));
}

SPEECH_AVX2_INLINE float sum_lanes(__m256 v) {
  const __m256 pairs = _mm256_hadd_ps(v, v);
  const __m256 fours = _mm256_hadd_ps(pairs, pairs);
  return _mm_cvtss_f32(_mm_add_ss(_mm256_castps256_ps128(fours), _mm256_extractf128_ps(fours, 1)));
}

SPEECH_AVX2_INLINE float max_lane(__m256 v) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

// --- Weight formats: thirty-two values of a row as four vectors
// --------------------------------------------------------

struct F32 {
  static constexpr size_t kBytes = 128;  // of 32 values
  static constexpr bool kWholeBlocks = false;
  SPEECH_AVX2_INLINE static void load(const uint8_t* p, __m256* w) {
    for (size_t j = 0; j < 4; ++j) {
      w[j] = _mm256_loadu_ps(reinterpret_cast<const float*>(p) + j * kWidth);
    }
  }
  SPEECH_AVX2_INLINE static __m256 load_8(const uint8_t* p) {
    return _mm256_loadu_ps(reinterpret_cast<const float*>(p));
  }
  SPEECH_AVX2_INLINE static float load_1(const uint8_t* p) {
    float value;
    __builtin_memcpy(&value, p, sizeof(value));
    return value;
  }
};

struct F16 {
  static constexpr size_t kBytes = 64;
  static constexpr bool kWholeBlocks = false;
  SPEECH_AVX2_INLINE static void load(const uint8_t* p, __m256* w) {
    for (size_t j = 0; j < 4; ++j) {
      w[j] = load_halves(p + j * kWidth * 2);
    }
  }
  SPEECH_AVX2_INLINE static __m256 load_8(const uint8_t* p) { return load_halves(p); }
  SPEECH_AVX2_INLINE static float load_1(const uint8_t* p) { return _cvtsh_ss(load_u16(p)); }
};

// Sixteen signed bytes as two vectors of float.
SPEECH_AVX2_INLINE void bytes_to_float(__m128i bytes, __m256* w) {
  w[0] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
  w[1] = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_unpackhi_epi64(bytes, bytes)));
}

// 0x10 in byte i where bit i of `bits` (16 of them) is set.
SPEECH_AVX2_INLINE __m128i fifth_bits(uint16_t bits) {
  const __m128i spread = _mm_shuffle_epi8(_mm_cvtsi32_si128(bits), _mm_set_epi64x(0x0101010101010101, 0));
  const __m128i bit = _mm_set1_epi64x(static_cast<int64_t>(0x8040201008040201ULL));
  return _mm_and_si128(_mm_cmpeq_epi8(_mm_and_si128(spread, bit), bit), _mm_set1_epi8(0x10));
}

// Q4_0, Q4_1, Q5_0, Q5_1: half scale, half minimum if any, four bytes of fifth bits if any, sixteen bytes of nibbles.
template <bool kHasMinimum, bool kHasFifthBit>
struct Nibbles {
  static constexpr size_t kHigh = kHasMinimum ? 4 : 2;
  static constexpr size_t kCodes = kHigh + (kHasFifthBit ? 4 : 0);
  static constexpr size_t kBytes = kCodes + 16;
  static constexpr bool kWholeBlocks = true;
  SPEECH_AVX2_INLINE static void load(const uint8_t* p, __m256* w) {
    const __m128i codes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + kCodes));
    const __m128i nibble = _mm_set1_epi8(0xF);
    __m128i low = _mm_and_si128(codes, nibble);
    __m128i high = _mm_and_si128(_mm_srli_epi16(codes, 4), nibble);
    if (kHasFifthBit) {
      low = _mm_or_si128(low, fifth_bits(load_u16(p + kHigh)));
      high = _mm_or_si128(high, fifth_bits(load_u16(p + kHigh + 2)));
    }
    if (!kHasMinimum) {
      const __m128i zero = _mm_set1_epi8(kHasFifthBit ? 16 : 8);
      low = _mm_sub_epi8(low, zero);
      high = _mm_sub_epi8(high, zero);
    }
    bytes_to_float(low, w);
    bytes_to_float(high, w + 2);
    const __m256 scale = broadcast_half(p);
    if (kHasMinimum) {
      const __m256 minimum = broadcast_half(p + 2);
      for (size_t j = 0; j < 4; ++j) {
        w[j] = _mm256_fmadd_ps(w[j], scale, minimum);  // the product of 11 and 5 bits is exact, as without FMA
      }
    } else {
      for (size_t j = 0; j < 4; ++j) {
        w[j] = _mm256_mul_ps(w[j], scale);
      }
    }
  }
};

struct Q8_0 {
  static constexpr size_t kBytes = 34;
  static constexpr bool kWholeBlocks = true;
  SPEECH_AVX2_INLINE static void load(const uint8_t* p, __m256* w) {
    bytes_to_float(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 2)), w);
    bytes_to_float(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 18)), w + 2);
    const __m256 scale = broadcast_half(p);
    for (size_t j = 0; j < 4; ++j) {
      w[j] = _mm256_mul_ps(w[j], scale);
    }
  }
};

// --- Conversion ------------------------------------------------------------------------------------------------------

template <typename Format>
SPEECH_AVX2 void to_f32(const void* src, size_t src_stride_bytes, size_t n_rows, size_t n, float* dst,
                        size_t dst_stride) {
  for (size_t r = 0; r < n_rows; ++r) {
    const uint8_t* p = static_cast<const uint8_t*>(src) + r * src_stride_bytes;
    float* out = dst + r * dst_stride;
    size_t i = 0;
    for (; i + kFormatBlock <= n; i += kFormatBlock, p += Format::kBytes) {
      __m256 w[4];
      Format::load(p, w);
      for (size_t j = 0; j < 4; ++j) {
        _mm256_storeu_ps(out + i + j * kWidth, w[j]);
      }
    }
    if constexpr (!Format::kWholeBlocks) {
      constexpr size_t kValue = Format::kBytes / kFormatBlock;
      for (; i + kWidth <= n; i += kWidth, p += kWidth * kValue) {
        _mm256_storeu_ps(out + i, Format::load_8(p));
      }
      for (; i < n; ++i, p += kValue) {
        out[i] = Format::load_1(p);
      }
    }
  }
}

SPEECH_AVX2 void f32_to_f16(const float* src, size_t n, uint16_t* dst) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(src + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(dst + i), halves);
  }
  for (; i < n; ++i) {
    dst[i] = static_cast<uint16_t>(_cvtss_sh(src[i], _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
}

// --- Matrix product on packed panels ---------------------------------------------------------------------------------

// The transpose of eight rows of eight values, stored kPanelColumns apart.
SPEECH_AVX2_INLINE void transpose_8x8(const float* src, size_t src_stride, float* dst) {
  __m256 r[8];
  for (size_t i = 0; i < 8; ++i) {
    r[i] = _mm256_loadu_ps(src + i * src_stride);
  }
  __m256 t[8];
  for (size_t i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  __m256 s[8];
  for (size_t i = 0; i < 8; i += 4) {
    s[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    s[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
    s[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    s[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
  }
  for (size_t i = 0; i < 4; ++i) {
    _mm256_storeu_ps(dst + i * kPanelColumns, _mm256_permute2f128_ps(s[i], s[i + 4], 0x20));
    _mm256_storeu_ps(dst + (i + 4) * kPanelColumns, _mm256_permute2f128_ps(s[i], s[i + 4], 0x31));
  }
}

SPEECH_AVX2 void pack_panel(const float* src, size_t src_stride, size_t n_rows, size_t k, float* panel) {
  size_t i = 0;
  if (n_rows == kPanelColumns) {
    for (; i + kWidth <= k; i += kWidth) {
      transpose_8x8(src + i, src_stride, panel + i * kPanelColumns);
      transpose_8x8(src + 8 * src_stride + i, src_stride, panel + i * kPanelColumns + 8);
    }
  }
  for (; i < k; ++i) {
    for (size_t column = 0; column < kPanelColumns; ++column) {
      panel[i * kPanelColumns + column] = column < n_rows ? src[column * src_stride + i] : 0.0F;
    }
  }
}

constexpr size_t kTileRows = 6;  // 6 x 2 vectors of sums, 2 of weights and 1 of activations fill 15 of 16 registers

// One register tile: rows r < n_rows <= kTileRows of c. Rows that are not there repeat the last one and are not stored.
SPEECH_AVX2_INLINE void gemm_tile(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b,
                                  size_t b_row_stride, float* c, size_t c_stride, bool accumulate) {
  const size_t last = n_rows - 1;
  const float* a0 = a;
  const float* a1 = a + (last < 1 ? last : 1) * a_stride;
  const float* a2 = a + (last < 2 ? last : 2) * a_stride;
  const float* a3 = a + (last < 3 ? last : 3) * a_stride;
  const float* a4 = a + (last < 4 ? last : 4) * a_stride;
  const float* a5 = a + (last < 5 ? last : 5) * a_stride;
  __m256 s[kTileRows][2];
  for (size_t r = 0; r < kTileRows; ++r) {
    s[r][0] = _mm256_setzero_ps();
    s[r][1] = _mm256_setzero_ps();
  }
  if (accumulate) {
    for (size_t r = 0; r < kTileRows; ++r) {
      const float* from = c + (last < r ? last : r) * c_stride;
      s[r][0] = _mm256_loadu_ps(from);
      s[r][1] = _mm256_loadu_ps(from + kWidth);
    }
  }
  __m256 s00 = s[0][0], s01 = s[0][1], s10 = s[1][0], s11 = s[1][1], s20 = s[2][0], s21 = s[2][1];
  __m256 s30 = s[3][0], s31 = s[3][1], s40 = s[4][0], s41 = s[4][1], s50 = s[5][0], s51 = s[5][1];
  for (size_t i = 0; i < k; ++i) {
    const __m256 b0 = _mm256_loadu_ps(b);
    const __m256 b1 = _mm256_loadu_ps(b + kWidth);
    b += b_row_stride;
    __m256 x = _mm256_broadcast_ss(a0 + i);
    s00 = _mm256_fmadd_ps(x, b0, s00);
    s01 = _mm256_fmadd_ps(x, b1, s01);
    x = _mm256_broadcast_ss(a1 + i);
    s10 = _mm256_fmadd_ps(x, b0, s10);
    s11 = _mm256_fmadd_ps(x, b1, s11);
    x = _mm256_broadcast_ss(a2 + i);
    s20 = _mm256_fmadd_ps(x, b0, s20);
    s21 = _mm256_fmadd_ps(x, b1, s21);
    x = _mm256_broadcast_ss(a3 + i);
    s30 = _mm256_fmadd_ps(x, b0, s30);
    s31 = _mm256_fmadd_ps(x, b1, s31);
    x = _mm256_broadcast_ss(a4 + i);
    s40 = _mm256_fmadd_ps(x, b0, s40);
    s41 = _mm256_fmadd_ps(x, b1, s41);
    x = _mm256_broadcast_ss(a5 + i);
    s50 = _mm256_fmadd_ps(x, b0, s50);
    s51 = _mm256_fmadd_ps(x, b1, s51);
  }
  const __m256 sums[kTileRows][2] = {{s00, s01}, {s10, s11}, {s20, s21}, {s30, s31}, {s40, s41}, {s50, s51}};
  for (size_t r = 0; r < kTileRows; ++r) {
    if (r < n_rows) {
      _mm256_storeu_ps(c + r * c_stride, sums[r][0]);
      _mm256_storeu_ps(c + r * c_stride + kWidth, sums[r][1]);
    }
  }
}

SPEECH_AVX2 void gemm(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_row_stride,
                      size_t b_panel_stride, size_t n_panels, float* c, size_t c_stride, bool accumulate) {
  for (size_t p = 0; p < n_panels; ++p) {
    for (size_t r = 0; r < n_rows; r += kTileRows) {
      const size_t count = n_rows - r < kTileRows ? n_rows - r : kTileRows;
      gemm_tile(a + r * a_stride, a_stride, count, k, b + p * b_panel_stride, b_row_stride,
                c + r * c_stride + p * kPanelColumns, c_stride, accumulate);
    }
  }
}

// --- Few rows: dot products and weighted sums
// --------------------------------------------------------------------------

// kRows weight rows times kX activation rows at a time, one vector of sums each: eight or so independent chains of
// multiply-adds hide their latency, whatever the number of activation rows, and a sum does not depend on that number.
template <typename Format, size_t kRows, size_t kX>
SPEECH_AVX2 void dots_tile(const uint8_t* weights, size_t stride_bytes, size_t n_weights, size_t k, const float* x,
                           size_t x_stride, float* out, size_t out_stride) {
  for (size_t first = 0; first < n_weights; first += kRows) {
    const size_t count = n_weights - first < kRows ? n_weights - first : kRows;
    const uint8_t* p[kRows];
    for (size_t r = 0; r < kRows; ++r) {
      p[r] = weights + (first + (r < count ? r : count - 1)) * stride_bytes;
    }
    __m256 s[8];
    for (size_t i = 0; i < 8; ++i) {
      s[i] = _mm256_setzero_ps();
    }
    size_t i = 0;
    for (; i + kFormatBlock <= k; i += kFormatBlock) {
      for (size_t r = 0; r < kRows; ++r) {
        __m256 w[4];
        Format::load(p[r], w);
        // The same place of the next rows: those are too short to be foreseen by the hardware. Never faults.
        _mm_prefetch(reinterpret_cast<const char*>(p[r] + kRows * stride_bytes), _MM_HINT_T0);
        p[r] += Format::kBytes;
        for (size_t n = 0; n < kX; ++n) {
          for (size_t j = 0; j < 4; ++j) {
            s[r * kX + n] = _mm256_fmadd_ps(w[j], _mm256_loadu_ps(x + n * x_stride + i + j * kWidth), s[r * kX + n]);
          }
        }
      }
    }
    if constexpr (!Format::kWholeBlocks) {
      constexpr size_t kValue = Format::kBytes / kFormatBlock;
      for (; i + kWidth <= k; i += kWidth) {
        for (size_t r = 0; r < kRows; ++r) {
          const __m256 w = Format::load_8(p[r]);
          p[r] += kWidth * kValue;
          for (size_t n = 0; n < kX; ++n) {
            s[r * kX + n] = _mm256_fmadd_ps(w, _mm256_loadu_ps(x + n * x_stride + i), s[r * kX + n]);
          }
        }
      }
      if (i < k) {
        const __m256i mask = tail_mask(k - i);
        for (size_t r = 0; r < kRows; ++r) {
          alignas(32) float tail[kWidth] = {};
          for (size_t j = 0; j < k - i; ++j) {
            tail[j] = Format::load_1(p[r] + j * kValue);
          }
          const __m256 w = _mm256_load_ps(tail);
          for (size_t n = 0; n < kX; ++n) {
            s[r * kX + n] = _mm256_fmadd_ps(w, _mm256_maskload_ps(x + n * x_stride + i, mask), s[r * kX + n]);
          }
        }
      }
    }
    alignas(32) float sums[8];
    _mm256_store_ps(sums, sum_lanes_of_8(s));
    for (size_t r = 0; r < count; ++r) {
      for (size_t n = 0; n < kX; ++n) {
        out[n * out_stride + first + r] = sums[r * kX + n];
      }
    }
  }
}

template <typename Format>
SPEECH_AVX2 void dots(const void* weights, size_t weight_stride_bytes, size_t n_weights, size_t k, const float* x,
                      size_t x_stride, size_t n_x, float* out, size_t out_stride) {
  using Tile = void (*)(const uint8_t*, size_t, size_t, size_t, const float*, size_t, float*, size_t);
  constexpr Tile kTiles[kMaxDotRows] = {dots_tile<Format, 8, 1>, dots_tile<Format, 4, 2>, dots_tile<Format, 2, 3>,
                                        dots_tile<Format, 2, 4>, dots_tile<Format, 1, 5>, dots_tile<Format, 1, 6>,
                                        dots_tile<Format, 1, 7>, dots_tile<Format, 1, 8>};
  if (n_x > 0) {
    kTiles[n_x - 1](static_cast<const uint8_t*>(weights), weight_stride_bytes, n_weights, k, x, x_stride, out,
                    out_stride);
  }
}

// kVectors vectors of columns, kX rows of p: the sums stay in registers while all rows pass.
template <typename Format, size_t kVectors, size_t kX>
SPEECH_AVX2_INLINE void weighted_sum_tile(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, const float* p,
                                          size_t p_stride, float* out, size_t out_stride) {
  constexpr size_t kValue = Format::kBytes / kFormatBlock;
  __m256 s[kX][kVectors];
  for (size_t n = 0; n < kX; ++n) {
    for (size_t j = 0; j < kVectors; ++j) {
      s[n][j] = _mm256_loadu_ps(out + n * out_stride + j * kWidth);
    }
  }
  for (size_t r = 0; r < n_rows; ++r, rows += row_stride_bytes) {
    __m256 factor[kX];
    for (size_t n = 0; n < kX; ++n) {
      factor[n] = _mm256_broadcast_ss(p + n * p_stride + r);
    }
    for (size_t j = 0; j < kVectors; ++j) {
      const __m256 w = Format::load_8(rows + j * kWidth * kValue);
      for (size_t n = 0; n < kX; ++n) {
        s[n][j] = _mm256_fmadd_ps(factor[n], w, s[n][j]);
      }
    }
  }
  for (size_t n = 0; n < kX; ++n) {
    for (size_t j = 0; j < kVectors; ++j) {
      _mm256_storeu_ps(out + n * out_stride + j * kWidth, s[n][j]);
    }
  }
}

template <typename Format, size_t kVectors, size_t kX>
SPEECH_AVX2_INLINE void weighted_sum_rows(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, size_t k,
                                          const float* p, size_t p_stride, float* out, size_t out_stride) {
  constexpr size_t kValue = Format::kBytes / kFormatBlock;
  size_t i = 0;
  for (; i + kVectors * kWidth <= k; i += kVectors * kWidth) {
    weighted_sum_tile<Format, kVectors, kX>(rows + i * kValue, row_stride_bytes, n_rows, p, p_stride, out + i,
                                            out_stride);
  }
  for (; i + kWidth <= k; i += kWidth) {
    weighted_sum_tile<Format, 1, kX>(rows + i * kValue, row_stride_bytes, n_rows, p, p_stride, out + i, out_stride);
  }
  for (; i < k; ++i) {
    for (size_t n = 0; n < kX; ++n) {
      float sum = out[n * out_stride + i];
      for (size_t r = 0; r < n_rows; ++r) {
        sum = __builtin_fmaf(p[n * p_stride + r], Format::load_1(rows + r * row_stride_bytes + i * kValue), sum);
      }
      out[n * out_stride + i] = sum;
    }
  }
}

template <typename Format>
SPEECH_AVX2 void weighted_sum(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, const float* p,
                              size_t p_stride, size_t n_x, float* out, size_t out_stride) {
  const auto* bytes = static_cast<const uint8_t*>(rows);
  size_t n = 0;
  for (; n + 4 <= n_x; n += 4) {
    weighted_sum_rows<Format, 2, 4>(bytes, row_stride_bytes, n_rows, k, p + n * p_stride, p_stride,
                                    out + n * out_stride, out_stride);
  }
  for (; n + 2 <= n_x; n += 2) {
    weighted_sum_rows<Format, 4, 2>(bytes, row_stride_bytes, n_rows, k, p + n * p_stride, p_stride,
                                    out + n * out_stride, out_stride);
  }
  if (n < n_x) {
    weighted_sum_rows<Format, 8, 1>(bytes, row_stride_bytes, n_rows, k, p + n * p_stride, p_stride,
                                    out + n * out_stride, out_stride);
  }
}

// --- Functions of one row --------------------------------------------------------------------------------------------

// e^x for x <= 0 as in scalar.cpp: x = n ln 2 + r and the Taylor series of e^r up to r^7; 0 below -87, NaN stays NaN.
SPEECH_AVX2_INLINE __m256 exp_negative(__m256 x) {
  const __m256 in_range = _mm256_cmp_ps(x, _mm256_set1_ps(-87.0F), _CMP_NLT_UQ);
  const __m256 n =
      _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(1.44269504F)), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), x);
  r = _mm256_fmadd_ps(n, _mm256_set1_ps(2.12194440e-4F), r);
  __m256 p = _mm256_set1_ps(1.0F / 5040.0F);
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 720.0F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 120.0F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 24.0F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F / 6.0F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(0.5F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F));
  p = _mm256_fmadd_ps(p, r, _mm256_set1_ps(1.0F));
  const __m256i exponent = _mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23);
  return _mm256_and_ps(_mm256_mul_ps(p, _mm256_castsi256_ps(exponent)), in_range);
}

// Abramowitz and Stegun 7.1.26, as in scalar.cpp.
SPEECH_AVX2_INLINE __m256 gelu(__m256 x) {
  const __m256 one = _mm256_set1_ps(1.0F);
  const __m256 sign = _mm256_set1_ps(-0.0F);
  const __m256 z = _mm256_mul_ps(_mm256_andnot_ps(sign, x), _mm256_set1_ps(0.707106781F));
  const __m256 t = _mm256_div_ps(one, _mm256_fmadd_ps(z, _mm256_set1_ps(0.3275911F), one));
  __m256 p = _mm256_set1_ps(1.061405429F);
  p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(-1.453152027F));
  p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(1.421413741F));
  p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(-0.284496736F));
  p = _mm256_fmadd_ps(p, t, _mm256_set1_ps(0.254829592F));
  const __m256 complement = _mm256_mul_ps(_mm256_mul_ps(p, t), exp_negative(_mm256_xor_ps(_mm256_mul_ps(z, z), sign)));
  const __m256 factor = _mm256_blendv_ps(_mm256_sub_ps(_mm256_set1_ps(2.0F), complement), complement, x);
  return _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(0.5F), x), factor);
}

SPEECH_AVX2 void finish(const float* sum, const float* bias, bool with_gelu, const float* residual, size_t n,
                        float* out) {
  for (size_t i = 0; i < n; i += kWidth) {
    const bool whole = n - i >= kWidth;
    const __m256i mask = tail_mask(whole ? kWidth : n - i);
    __m256 value = whole ? _mm256_loadu_ps(sum + i) : _mm256_maskload_ps(sum + i, mask);
    if (bias != nullptr) {
      value = _mm256_add_ps(value, whole ? _mm256_loadu_ps(bias + i) : _mm256_maskload_ps(bias + i, mask));
    }
    if (with_gelu) {
      value = gelu(value);
    }
    if (residual != nullptr) {
      value = _mm256_add_ps(value, whole ? _mm256_loadu_ps(residual + i) : _mm256_maskload_ps(residual + i, mask));
    }
    if (whole) {
      _mm256_storeu_ps(out + i, value);
    } else {
      _mm256_maskstore_ps(out + i, mask, value);
    }
  }
}

SPEECH_AVX2 void layer_norm(const float* in, const float* gamma, const float* beta, size_t n, float* out) {
  const __m256i mask = tail_mask(n % kWidth);
  const size_t whole = n - n % kWidth;
  __m256 total = _mm256_maskload_ps(in + whole, mask);
  for (size_t i = 0; i < whole; i += kWidth) {
    total = _mm256_add_ps(total, _mm256_loadu_ps(in + i));
  }
  const __m256 mean = _mm256_set1_ps(sum_lanes(total) / static_cast<float>(n));
  const __m256 last =
      _mm256_and_ps(_mm256_sub_ps(_mm256_maskload_ps(in + whole, mask), mean), _mm256_castsi256_ps(mask));
  __m256 squares = _mm256_mul_ps(last, last);
  for (size_t i = 0; i < whole; i += kWidth) {
    const __m256 distance = _mm256_sub_ps(_mm256_loadu_ps(in + i), mean);
    squares = _mm256_fmadd_ps(distance, distance, squares);
  }
  const float variance = sum_lanes(squares) / static_cast<float>(n);
  const __m256 inverse = _mm256_set1_ps(1.0F / _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(variance + 1e-5F))));
  for (size_t i = 0; i < whole; i += kWidth) {
    const __m256 unit = _mm256_mul_ps(_mm256_sub_ps(_mm256_loadu_ps(in + i), mean), inverse);
    _mm256_storeu_ps(out + i, _mm256_fmadd_ps(unit, _mm256_loadu_ps(gamma + i), _mm256_loadu_ps(beta + i)));
  }
  const __m256 unit = _mm256_mul_ps(last, inverse);
  const __m256 tail =
      _mm256_fmadd_ps(unit, _mm256_maskload_ps(gamma + whole, mask), _mm256_maskload_ps(beta + whole, mask));
  _mm256_maskstore_ps(out + whole, mask, tail);
}

SPEECH_AVX2 void add(float* x, const float* y, size_t n) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    _mm256_storeu_ps(x + i, _mm256_add_ps(_mm256_loadu_ps(x + i), _mm256_loadu_ps(y + i)));
  }
  for (; i < n; ++i) {
    x[i] += y[i];
  }
}

SPEECH_AVX2 void scale(float* x, size_t n, float factor) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    _mm256_storeu_ps(x + i, _mm256_mul_ps(_mm256_loadu_ps(x + i), _mm256_set1_ps(factor)));
  }
  for (; i < n; ++i) {
    x[i] *= factor;
  }
}

SPEECH_AVX2 float softmax_step(float* scores, size_t n, float score_scale, const float* mask, float* row_max,
                               float* row_sum) {
  const size_t whole = n - n % kWidth;
  const __m256i tail = tail_mask(n % kWidth);
  const __m256 in_tail = _mm256_castsi256_ps(tail);
  const __m256 factor = _mm256_set1_ps(score_scale);
  const __m256 old_maximum = _mm256_set1_ps(*row_max);
  __m256 maximum = old_maximum;
  for (size_t i = 0; i < whole; i += kWidth) {
    __m256 score = _mm256_mul_ps(_mm256_loadu_ps(scores + i), factor);
    if (mask != nullptr) {
      score = _mm256_add_ps(score, _mm256_loadu_ps(mask + i));
    }
    _mm256_storeu_ps(scores + i, score);
    maximum = _mm256_max_ps(maximum, score);
  }
  __m256 last = _mm256_mul_ps(_mm256_maskload_ps(scores + whole, tail), factor);
  if (mask != nullptr) {
    last = _mm256_add_ps(last, _mm256_maskload_ps(mask + whole, tail));
  }
  maximum = _mm256_max_ps(maximum, _mm256_blendv_ps(old_maximum, last, in_tail));

  maximum = _mm256_set1_ps(max_lane(maximum));
  last = _mm256_and_ps(exp_negative(_mm256_sub_ps(last, maximum)), in_tail);
  _mm256_maskstore_ps(scores + whole, tail, last);
  __m256 total = last;
  for (size_t i = 0; i < whole; i += kWidth) {
    const __m256 weight = exp_negative(_mm256_sub_ps(_mm256_loadu_ps(scores + i), maximum));
    _mm256_storeu_ps(scores + i, weight);
    total = _mm256_add_ps(total, weight);
  }
  const float shrink = _mm256_cvtss_f32(exp_negative(_mm256_sub_ps(old_maximum, maximum)));
  *row_sum = *row_sum * shrink + sum_lanes(total);
  *row_max = _mm256_cvtss_f32(maximum);
  return shrink;
}

constexpr KernelTable kAvx2Table = {
    .name = "avx2",
    .to_f32 = {to_f32<F32>, to_f32<F16>, to_f32<Nibbles<false, false>>, to_f32<Nibbles<true, false>>,
               to_f32<Nibbles<false, true>>, to_f32<Nibbles<true, true>>, to_f32<Q8_0>},
    .f32_to_f16 = f32_to_f16,
    .pack_panel = pack_panel,
    .gemm = gemm,
    .dots = {dots<F32>, dots<F16>, dots<Nibbles<false, false>>, dots<Nibbles<true, false>>, dots<Nibbles<false, true>>,
             dots<Nibbles<true, true>>, dots<Q8_0>},
    .weighted_sum = {weighted_sum<F32>, weighted_sum<F16>},
    .finish = finish,
    .layer_norm = layer_norm,
    .add = add,
    .scale = scale,
    .softmax_step = softmax_step,
};

}  // namespace

const KernelTable* avx2_kernels() { return &kAvx2Table; }

}  // namespace speech

#else

namespace speech {

const KernelTable* avx2_kernels() { return nullptr; }

}  // namespace speech

#endif
