// The table of NEON with the integer products of armv8.6's i8mm on armv8; empty elsewhere.
// Knows nothing but its table; see avx2.cpp for what keeps its code out of other paths.

#include "kernels/kernel_table.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#if defined(__clang__)
#define SPEECH_TARGET_NAME_ "i8mm"
#else
#define SPEECH_TARGET_NAME_ "arch=armv8.2-a+i8mm"
#endif
#define SPEECH_TARGET __attribute__((target(SPEECH_TARGET_NAME_)))
#define SPEECH_INLINE __attribute__((target(SPEECH_TARGET_NAME_), SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/neon_vectors.h"

constexpr size_t kBlockPanels = 1;
constexpr size_t kBlockRows = 4;
constexpr size_t kRowUnit = 2;
constexpr int kSignedZeroBits = 0;

// Of two rows: columns 0 and 1 of the first, then of the second; and columns 2 and 3.
struct Sums {
  int32x4_t low;
  int32x4_t high;
};

SPEECH_INLINE Sums start_sums(Words /*begin*/) { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
// Columns 0 and 1 with eight inputs each, and columns 2 and 3.
template <bool kSigned>
SPEECH_INLINE void prepare(Words& even, Words& odd) {
  const Words first = even;
  even = vzip1q_u32(first, odd);
  odd = vzip2q_u32(first, odd);
}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* second) {
  const int8x16_t in = vcombine_s8(vld1_s8(x + kGroup / 2 * 8), vld1_s8(second + kGroup / 2 * 8));
  if constexpr (kGroup % 2 == 0) {
    s.low = vmmlaq_s32(s.low, in, vreinterpretq_s8_u32(codes));
  } else {
    s.high = vmmlaq_s32(s.high, in, vreinterpretq_s8_u32(codes));
  }
}
template <bool kSecond>
SPEECH_INLINE Words total(const Sums& s, Words begin) {
  const int64x2_t low = vreinterpretq_s64_s32(s.low);
  const int64x2_t high = vreinterpretq_s64_s32(s.high);
  return add_words(vreinterpretq_u32_s64(kSecond ? vzip2q_s64(low, high) : vzip1q_s64(low, high)), begin);
}

#include "kernels/vector_blocks.h"
// Needs the text above.
#include "kernels/extension_table.h"

// A single row would waste half of each product of matrices: dot products make the same sums in half the instructions.
template <int kFormat>
void products(const void* panels, size_t panel_stride_bytes, size_t n_panels, size_t k, const ActivationBlock* x,
              size_t x_stride, size_t n_rows, float* out, size_t out_stride) {
  const PanelProducts make = n_rows == 1 ? neon_dotprod_kernels()->panel_products[kFormat] : kPanelProducts[kFormat];
  make(panels, panel_stride_bytes, n_panels, k, x, x_stride, n_rows, out, out_stride);
}

template <int kFormat>
void set_products(KernelTable& table) {
  table.panel_products[kFormat] = products<kFormat>;
  if constexpr (kFormat + 1 < kPanelFormats) {
    set_products<kFormat + 1>(table);
  }
}

KernelTable make_table() {
  KernelTable table = with_own_products(*neon_kernels(), "neon_i8mm");
  set_products<kFormatQ4_0>(table);
  return table;
}

}  // namespace

const KernelTable* neon_i8mm_kernels() {
  static const KernelTable kTable = make_table();
  return &kTable;
}

}  // namespace speech

#else

namespace speech {

const KernelTable* neon_i8mm_kernels() { return nullptr; }

}  // namespace speech

#endif
