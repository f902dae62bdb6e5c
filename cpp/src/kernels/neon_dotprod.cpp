// The table of NEON with the integer products of armv8.2's dotprod on armv8; empty elsewhere.
// Knows nothing but its table; see avx2.cpp for what keeps its code out of other paths.

#include "kernels/kernel_table.h"

#if defined(__aarch64__)

#include <arm_neon.h>

#if defined(__clang__)
#define SPEECH_TARGET_NAME_ "dotprod"
#else
#define SPEECH_TARGET_NAME_ "arch=armv8.2-a+dotprod"
#endif
#define SPEECH_TARGET __attribute__((target(SPEECH_TARGET_NAME_)))
#define SPEECH_INLINE __attribute__((target(SPEECH_TARGET_NAME_), SPEECH_ALWAYS_INLINE_)) inline
#include "kernels/unroll.h"

namespace speech {
namespace {

#include "kernels/neon_vectors.h"

constexpr size_t kBlockPanels = 1;
constexpr size_t kBlockRows = 4;
constexpr size_t kRowUnit = 1;
constexpr int kSignedZeroBits = 0;

using Sums = int32x4_t;

SPEECH_INLINE Sums start_sums(Words w) { return vreinterpretq_s32_u32(w); }
template <bool kSigned>
SPEECH_INLINE void prepare(Words& /*even*/, Words& /*odd*/) {}
template <bool kSigned, int kGroup>
SPEECH_INLINE void add_products(Sums& s, Words codes, const int8_t* x, const int8_t* /*second*/) {
  s = vdotq_laneq_s32(s, vreinterpretq_s8_u32(codes), vld1q_s8(x + kGroup / 4 * 16), kGroup % 4);
}
template <bool kSecond>
SPEECH_INLINE Words total(Sums s, Words /*begin*/) {
  return vreinterpretq_u32_s32(s);
}

#include "kernels/vector_blocks.h"
// Needs the text above.
#include "kernels/extension_table.h"

}  // namespace

const KernelTable* neon_dotprod_kernels() {
  static const KernelTable kTable = with_own_products(*neon_kernels(), "neon_dotprod");
  return &kTable;
}

}  // namespace speech

#else

namespace speech {

const KernelTable* neon_dotprod_kernels() { return nullptr; }

}  // namespace speech

#endif
