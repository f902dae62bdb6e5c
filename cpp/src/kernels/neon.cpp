// Kernels for Arm's NEON: what every armv8 has, and armv7 where the compiler may use it; empty elsewhere. Knows nothing
// but its table; see avx2.cpp for what keeps its code out of other paths.

#include "kernels/kernel_table.h"

#if defined(__aarch64__) || defined(__ARM_NEON)

#include <arm_neon.h>

#define SPEECH_TARGET
#define SPEECH_INLINE __attribute__((SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/neon_vectors.h"

// --- Integer products ------------------------------------------------------------------------------------------------

constexpr size_t kBlockPanels = 1;
constexpr size_t kBlockRows = 2;
constexpr size_t kRowUnit = 1;
constexpr int kSignedZeroBits = 0;

// Of columns 0, 1 and 2, 3, each in two lanes; 16 bits hold the products of two groups, 2 * 128 * 127 = 32512.
struct Sums {
  int16x8_t narrow_low;
  int16x8_t narrow_high;
  int32x4_t low;
  int32x4_t high;
};

SPEECH_INLINE Sums start_sums(Words /*begin*/) {
  return {vdupq_n_s16(0), vdupq_n_s16(0), vdupq_n_s32(0), vdupq_n_s32(0)};
}
template <bool kSigned>
SPEECH_INLINE void prepare(Words& /*even*/, Words& /*odd*/) {}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* /*second*/) {
  const int8x16_t in = vreinterpretq_s8_u32(splat_words(x + 4 * kGroup));
  const int8x16_t w = vreinterpretq_s8_u32(codes);
  if constexpr (kGroup % 2 == 0) {
    s.narrow_low = vmull_s8(vget_low_s8(w), vget_low_s8(in));
    s.narrow_high = vmull_s8(vget_high_s8(w), vget_low_s8(in));
  } else {
    s.low = vpadalq_s16(s.low, vmlal_s8(s.narrow_low, vget_low_s8(w), vget_low_s8(in)));
    s.high = vpadalq_s16(s.high, vmlal_s8(s.narrow_high, vget_high_s8(w), vget_low_s8(in)));
  }
}
template <bool kSecond>
SPEECH_INLINE Words total(const Sums& s, Words begin) {
#if defined(__aarch64__)
  const int32x4_t sums = vpaddq_s32(s.low, s.high);
#else
  const int32x4_t sums = vcombine_s32(vpadd_s32(vget_low_s32(s.low), vget_high_s32(s.low)),
                                      vpadd_s32(vget_low_s32(s.high), vget_high_s32(s.high)));
#endif
  return add_words(vreinterpretq_u32_s32(sums), begin);
}

#include "kernels/vector_table.h"

// --- Packing ---------------------------------------------------------------------------------------------------------

SPEECH_TARGET void pack_panel(const float* src, size_t src_stride, size_t n_rows, size_t k, float* panel) {
  size_t i = 0;
  if (n_rows == kPanelColumns) {
    for (; i + 4 <= k; i += 4) {
      for (size_t column = 0; column < kPanelColumns; column += 4) {
        const float* from = src + column * src_stride + i;
        float* to = panel + i * kPanelColumns + column;
        const float32x4x2_t low = vtrnq_f32(load(from), load(from + src_stride));
        const float32x4x2_t high = vtrnq_f32(load(from + 2 * src_stride), load(from + 3 * src_stride));
        store(to, vcombine_f32(vget_low_f32(low.val[0]), vget_low_f32(high.val[0])));
        store(to + kPanelColumns, vcombine_f32(vget_low_f32(low.val[1]), vget_low_f32(high.val[1])));
        store(to + 2 * kPanelColumns, vcombine_f32(vget_high_f32(low.val[0]), vget_high_f32(high.val[0])));
        store(to + 3 * kPanelColumns, vcombine_f32(vget_high_f32(low.val[1]), vget_high_f32(high.val[1])));
      }
    }
  }
  for (; i < k; ++i) {
    for (size_t column = 0; column < kPanelColumns; ++column) {
      panel[i * kPanelColumns + column] = column < n_rows ? src[column * src_stride + i] : 0.0F;
    }
  }
}

SPEECH_TARGET void pack_rows_f16(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel) {
  auto* out = static_cast<uint16_t*>(panel);
  const auto* from = static_cast<const uint8_t*>(rows);
  for (size_t i = 0; i < k; ++i) {
    for (size_t r = 0; r < kPanelColumns; ++r) {
      uint16_t value = 0;
      if (r < n_rows) {
        __builtin_memcpy(&value, from + r * row_stride_bytes + i * 2, sizeof(value));
      }
      __builtin_memcpy(out + i * kPanelColumns + r, &value, sizeof(value));
    }
  }
}

// --- Matrix product on packed panels ---------------------------------------------------------------------------------

// Two vectors of weights at a time: with the sums and six rows of activations, all registers there are. Compilers would
// load more of them ahead, and put sums into memory for it.
template <int kLane>
SPEECH_INLINE void add_input(const float* b, const Vec* x, Vec (*s)[4]) {
  SPEECH_UNROLL
  for (size_t j = 0; j < 4; j += 2) {
    __asm__ volatile("" ::: "memory");
    const Vec w0 = load(b + j * kWidth);
    const Vec w1 = load(b + (j + 1) * kWidth);
    SPEECH_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) {
      s[r][j] = fma_lane<kLane>(w0, x[r], s[r][j]);
      s[r][j + 1] = fma_lane<kLane>(w1, x[r], s[r][j + 1]);
    }
  }
}

// One register tile: rows r < n_rows <= kTileRows of c. Rows that are not there repeat the last one and are not stored.
SPEECH_INLINE void gemm_tile(const float* a, size_t a_stride, size_t n_rows, size_t k, const float* b, size_t b_step,
                             float* c, size_t c_stride, bool accumulate) {
  size_t row[kTileRows];
  Vec s[kTileRows][4];
  SPEECH_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    row[r] = (r < n_rows ? r : n_rows - 1) * a_stride * sizeof(float);
    SPEECH_UNROLL
    for (size_t j = 0; j < 4; ++j) {
      s[r][j] = zero();
    }
  }
  const auto* from = reinterpret_cast<const uint8_t*>(a);
  size_t i = 0;
  for (; i + 4 <= k; i += 4, b += 4 * b_step, from += 4 * sizeof(float)) {
    Vec x[kTileRows];
    SPEECH_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) {
      x[r] = load(reinterpret_cast<const float*>(from + row[r]));
    }
    add_input<0>(b, x, s);
    add_input<1>(b + b_step, x, s);
    add_input<2>(b + 2 * b_step, x, s);
    add_input<3>(b + 3 * b_step, x, s);
  }
  for (; i < k; ++i, b += b_step, from += sizeof(float)) {
    Vec x[kTileRows];
    SPEECH_UNROLL
    for (size_t r = 0; r < kTileRows; ++r) {
      x[r] = splat(*reinterpret_cast<const float*>(from + row[r]));
    }
    add_input<0>(b, x, s);
  }
  SPEECH_UNROLL
  for (size_t r = 0; r < kTileRows; ++r) {
    if (r < n_rows) {
      SPEECH_UNROLL
      for (size_t j = 0; j < 4; ++j) {
        float* to = c + r * c_stride + j * kWidth;
        store(to, accumulate ? add(load(to), s[r][j]) : s[r][j]);
      }
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

constexpr KernelTable kNeonTable = SPEECH_VECTOR_TABLE("neon");

}  // namespace

const KernelTable* neon_kernels() { return &kNeonTable; }

}  // namespace speech

#else

namespace speech {

const KernelTable* neon_kernels() { return nullptr; }

}  // namespace speech

#endif
