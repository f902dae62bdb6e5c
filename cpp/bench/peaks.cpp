// The yardsticks of the kernels; see peaks.h.
#include "peaks.h"

#include <algorithm>
#include <iterator>

#include "stopwatch.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace speech::bench {
namespace {

// Twelve sums at a time: a multiply-add takes four cycles and two begin in each, so eight keep both units busy, and
// twelve and two operands fit into the sixteen registers of AVX2.
constexpr int kSums = 12;
constexpr int kRounds = 200'000;

// A function `name` of the target that does kRounds * kSums multiply-adds and returns a value that depends on all of
// them. Every sum starts elsewhere, or the compiler would do one of them only; x and y draw all of them towards 1.
#define SPEECH_MULTIPLY_ADDS(name, target, Vector, set, multiply_add, first)                                           \
  target float name() {                                                                                                \
    const Vector x = set(0.5F);                                                                                        \
    const Vector y = set(0.5F);                                                                                        \
    Vector s0 = set(0.0F), s1 = set(1.0F), s2 = set(2.0F), s3 = set(3.0F), s4 = set(4.0F), s5 = set(5.0F);             \
    Vector s6 = set(6.0F), s7 = set(7.0F), s8 = set(8.0F), s9 = set(9.0F), s10 = set(10.0F), s11 = set(11.0F);         \
    for (int round = 0; round < kRounds; ++round) {                                                                    \
      s0 = multiply_add(s0, x, y), s1 = multiply_add(s1, x, y), s2 = multiply_add(s2, x, y);                           \
      s3 = multiply_add(s3, x, y), s4 = multiply_add(s4, x, y), s5 = multiply_add(s5, x, y);                           \
      s6 = multiply_add(s6, x, y), s7 = multiply_add(s7, x, y), s8 = multiply_add(s8, x, y);                           \
      s9 = multiply_add(s9, x, y), s10 = multiply_add(s10, x, y), s11 = multiply_add(s11, x, y);                       \
    }                                                                                                                  \
    return first(s0) + first(s1) + first(s2) + first(s3) + first(s4) + first(s5) + first(s6) + first(s7) + first(s8) + \
           first(s9) + first(s10) + first(s11);                                                                        \
  }

#define SPEECH_SAME(value) (value)
#define SPEECH_PLAIN(s, x, y) ((s) * (x) + (y))
SPEECH_MULTIPLY_ADDS(plain, , float, SPEECH_SAME, SPEECH_PLAIN, SPEECH_SAME)

#if defined(__x86_64__)
SPEECH_MULTIPLY_ADDS(avx2, __attribute__((target("avx2,fma"))), __m256, _mm256_set1_ps, _mm256_fmadd_ps,
                     _mm256_cvtss_f32)
SPEECH_MULTIPLY_ADDS(avx512, __attribute__((target("avx512f"))), __m512, _mm512_set1_ps, _mm512_fmadd_ps,
                     _mm512_cvtss_f32)
#elif defined(__ARM_NEON)
#define SPEECH_NEON(s, x, y) vfmaq_f32(y, s, x)
#define SPEECH_NEON_FIRST(s) vgetq_lane_f32(s, 0)
SPEECH_MULTIPLY_ADDS(neon, , float32x4_t, vdupq_n_f32, SPEECH_NEON, SPEECH_NEON_FIRST)
#endif

struct Instructions {
  std::string_view beginning;  // of the names of kernel tables that use them; the first that fits counts
  float (*run)();
  int lanes;
};

constexpr Instructions kInstructions[] = {
#if defined(__x86_64__)
    {"avx512", avx512, 16},
    {"avx", avx2, 8},
#elif defined(__ARM_NEON)
    {"neon", neon, 4},
#endif
    {"", plain, 1},
};

// What is written here cannot be left out by the compiler.
volatile float kept_float;
volatile std::uint64_t kept_word;

}  // namespace

double multiply_add_gflops(std::string_view table) {
  const Instructions& chosen = *std::find_if(std::begin(kInstructions), std::end(kInstructions),
                                             [&](const Instructions& one) { return table.starts_with(one.beginning); });
  const double begin = now_seconds(true);
  kept_float = chosen.run();
  const double seconds = std::max(now_seconds(true) - begin, 1e-9);
  return 2e-9 * kRounds * kSums * chosen.lanes / seconds;
}

namespace {

constexpr std::size_t kParts = 8;
constexpr std::size_t kPartWords = (std::size_t{64} << 20U) / sizeof(std::uint64_t);
constexpr std::size_t kLineWords = 64 / sizeof(std::uint64_t);
// One page ahead: processors fetch ahead by themselves, but not across the end of a page.
constexpr std::size_t kAheadWords = 4096 / sizeof(std::uint64_t);

double read_gbs(const std::uint64_t* words) {
  const double begin = now_seconds(true);
  std::uint64_t sums[kLineWords] = {};
  for (std::size_t i = 0; i < kPartWords; i += kLineWords) {
    __builtin_prefetch(words + i + kAheadWords);
    for (std::size_t j = 0; j < kLineWords; ++j) {
      sums[j] += words[i + j];
    }
  }
  std::uint64_t total = 0;
  for (const std::uint64_t sum : sums) {
    total += sum;
  }
  kept_word = total;
  const double seconds = std::max(now_seconds(true) - begin, 1e-9);
  return 1e-9 * static_cast<double>(kPartWords * sizeof(std::uint64_t)) / seconds;
}

}  // namespace

MemoryReader::MemoryReader() : words_(kParts * kPartWords + kAheadWords, 1) {}

double MemoryReader::from_memory() {
  next_ = (next_ + 1) % kParts;
  return read_gbs(words_.data() + next_ * kPartWords);
}

double MemoryReader::from_cache() { return read_gbs(words_.data() + next_ * kPartWords); }

}  // namespace speech::bench
