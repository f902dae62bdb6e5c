// Blocks of the K-quants: a scale, and in three formats a minimum, for each run or part; these are then rounded to
// small integers times one number for the block, and the codes chosen anew for what they were rounded to.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/half.h"
#include "tensor/quantize_blocks.h"
#include "tensor/quantize_exact.h"
#include "tensor/quantize_search.h"

namespace speech {
namespace {

constexpr std::size_t kRun = 16;
constexpr std::size_t kRuns = kSuperBlock / kRun;
constexpr std::size_t kPart = 32;
constexpr std::size_t kParts = kSuperBlock / kPart;

using Codes = std::uint8_t[kSuperBlock];

std::uint8_t byte_of(int value) { return static_cast<std::uint8_t>(value); }

float scaled(std::uint16_t half, int factor) { return half_to_float(half) * static_cast<float>(factor); }

/// The largest, at least 0.
float largest(std::span<const float> values) {
  float most = 0.0F;
  for (const float value : values) {
    most = value > most ? value : most;
  }
  return most;
}

/// The one of largest magnitude, the first of several.
float extreme(std::span<const float> values) {
  float most = 0.0F;
  for (const float value : values) {
    most = std::fabs(value) > std::fabs(most) ? value : most;
  }
  return most;
}

/// codes <- 0 .. most nearest to (value + minimum) / scale - lowest; unchanged where the scale is 0.
void choose_codes(std::span<const float> values, float scale, float minimum, int lowest, int highest,
                  std::uint8_t* codes) {
  if (scale == 0.0F) {
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = byte_of(std::clamp(nearest_int((values[i] + minimum) / scale), lowest, highest) - lowest);
  }
}

/// The low two bits of each code, four codes a byte (dtype.h, Q2_K).
void put_two_bits(const Codes& codes, std::uint8_t* out) {
  for (std::size_t i = 0; i < kSuperBlock; ++i) {
    std::uint8_t& byte = out[i / 128 * kPart + i % kPart];
    byte = byte_of(byte | (codes[i] & 3) << (i / kPart % 4 * 2));
  }
}

/// The low four bits of each code, two a byte: codes `apart` values apart, in stretches of twice as many.
void put_nibbles(const Codes& codes, std::size_t apart, std::uint8_t* out) {
  for (std::size_t i = 0; i < kSuperBlock; ++i) {
    std::uint8_t& byte = out[i / (2 * apart) * apart + i % apart];
    byte = byte_of(byte | (codes[i] & 15) << (i / apart % 2 * 4));
  }
}

/// Bit `at` of each code of part p as bit p of the bytes of a part.
void put_bit(const Codes& codes, unsigned at, std::uint8_t* out) {
  for (std::size_t i = 0; i < kSuperBlock; ++i) {
    out[i % kPart] = byte_of(out[i % kPart] | ((codes[i] >> at) & 1) << (i / kPart));
  }
}

/// Scales and minimums of the parts of Q4_K and Q5_K in six bits each (dtype.h, Q4_K).
void put_six_bits(const int* scales, const int* minimums, std::uint8_t* out) {
  for (std::size_t part = 0; part < 4; ++part) {
    out[part] = byte_of(scales[part] | (scales[part + 4] >> 4) << 6);
    out[part + 4] = byte_of(minimums[part] | (minimums[part + 4] >> 4) << 6);
    out[part + 8] = byte_of((scales[part + 4] & 15) | (minimums[part + 4] & 15) << 4);
  }
}

/// Q4_K and Q5_K up to their codes: scales, minimums, and what codes they lead to.
template <typename Block>
void quantize_parts(const float* values, const Search& search, Block& block, Codes& codes) {
  float scales[kParts];
  float minimums[kParts];
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::span<const float, kPart> x(values + part * kPart, kPart);
    float squares = 0.0F;
    for (const float value : x) {
      squares += value * value;
    }
    const float typical = std::sqrt(squares / static_cast<float>(kPart));
    float weights[kPart];
    for (std::size_t i = 0; i < kPart; ++i) {
      weights[i] = typical + std::fabs(x[i]);
    }
    const ScaleAndMinimum found = search_scale_and_minimum(x, weights, search, codes + part * kPart);
    scales[part] = found.scale;
    minimums[part] = found.minimum;
  }
  constexpr float kMost = 63.0F;
  const float most_scale = largest(scales);
  const float most_minimum = largest(minimums);
  const float scale_factor = most_scale > 0.0F ? kMost / most_scale : 0.0F;
  const float minimum_factor = most_minimum > 0.0F ? kMost / most_minimum : 0.0F;
  block.scale = float_to_half(most_scale / kMost);
  block.minimum = float_to_half(most_minimum / kMost);
  int whole_scales[kParts];
  int whole_minimums[kParts];
  for (std::size_t part = 0; part < kParts; ++part) {
    whole_scales[part] = std::min<int>(63, byte_of(nearest_int(scale_factor * scales[part])));
    whole_minimums[part] = std::min<int>(63, byte_of(nearest_int(minimum_factor * minimums[part])));
    choose_codes({values + part * kPart, kPart}, scaled(block.scale, whole_scales[part]),
                 scaled(block.minimum, whole_minimums[part]), 0, search.most, codes + part * kPart);
  }
  put_six_bits(whole_scales, whole_minimums, block.scales);
}

}  // namespace

void quantize_block(const float* values, BlockQ2_K& block) {
  Codes codes;
  float scales[kRuns];
  float minimums[kRuns];
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::span<const float, kRun> x(values + run * kRun, kRun);
    float weights[kRun];
    for (std::size_t i = 0; i < kRun; ++i) {
      weights[i] = std::fabs(x[i]);
    }
    constexpr Search kSearch = {.most = 3, .first = -0.5F, .step = 0.1F, .n_starts = 16, .absolute = true};
    const ScaleAndMinimum found = search_scale_and_minimum(x, weights, kSearch, codes + run * kRun);
    scales[run] = found.scale;
    minimums[run] = found.minimum;
  }
  constexpr float kMost = 15.0F;
  const auto round_to_fifteenths = [](std::span<const float> found, unsigned shift, std::uint8_t* out) {
    const float most = largest(found);
    if (!(most > 0.0F)) {
      return std::uint16_t{0};
    }
    const float factor = kMost / most;
    for (std::size_t run = 0; run < kRuns; ++run) {
      out[run] = byte_of(out[run] | nearest_int(factor * found[run]) << shift);
    }
    return float_to_half(most / kMost);
  };
  block.scale = round_to_fifteenths(scales, 0, block.scales);
  block.minimum = round_to_fifteenths(minimums, 4, block.scales);
  for (std::size_t run = 0; run < kRuns; ++run) {
    choose_codes({values + run * kRun, kRun}, scaled(block.scale, block.scales[run] & 15),
                 scaled(block.minimum, block.scales[run] >> 4), 0, 3, codes + run * kRun);
  }
  put_two_bits(codes, block.codes);
}

void quantize_block(const float* values, BlockQ3_K& block) {
  Codes codes;
  float scales[kRuns];
  for (std::size_t run = 0; run < kRuns; ++run) {
    scales[run] = refine_scale({values + run * kRun, kRun}, 4, codes + run * kRun);
  }
  int whole_scales[kRuns] = {};  // 0 .. 63, of which 32 are taken off again
  const float most = extreme(scales);
  if (most != 0.0F) {
    const float factor = -32.0F / most;
    for (std::size_t run = 0; run < kRuns; ++run) {
      const auto scale = static_cast<std::int8_t>(nearest_int(factor * scales[run]));
      whole_scales[run] = std::clamp<int>(scale, -32, 31) + 32;
      std::uint8_t& low = block.scales[run % 8];
      low = byte_of(low | (whole_scales[run] & 15) << (run / 8 * 4));
      std::uint8_t& high = block.scales[8 + run % 4];
      high = byte_of(high | (whole_scales[run] >> 4) << (run / 4 * 2));
    }
    block.scale = float_to_half(1.0F / factor);
  }
  for (std::size_t run = 0; run < kRuns; ++run) {
    choose_codes({values + run * kRun, kRun}, scaled(block.scale, whole_scales[run] - 32), 0.0F, -4, 3,
                 codes + run * kRun);
  }
  put_bit(codes, 2, block.high);
  put_two_bits(codes, block.codes);
}

void quantize_block(const float* values, BlockQ4_K& block) {
  constexpr Search kSearch = {.most = 15, .first = -1.0F, .step = 0.1F, .n_starts = 21, .absolute = false};
  Codes codes;
  quantize_parts(values, kSearch, block, codes);
  put_nibbles(codes, kPart, block.codes);
}

void quantize_block(const float* values, BlockQ5_K& block) {
  constexpr Search kSearch = {.most = 31, .first = -0.5F, .step = 0.1F, .n_starts = 16, .absolute = false};
  Codes codes;
  quantize_parts(values, kSearch, block, codes);
  put_nibbles(codes, kPart, block.codes);
  put_bit(codes, 4, block.high);
}

void quantize_block(const float* values, BlockQ6_K& block) {
  constexpr float kNothing = 1e-15F;
  Codes codes;
  float scales[kRuns];
  for (std::size_t run = 0; run < kRuns; ++run) {
    scales[run] = search_scale({values + run * kRun, kRun}, 32, codes + run * kRun);
  }
  const float most = extreme(scales);
  if (std::fabs(most) < kNothing) {
    return;  // all zero
  }
  const float factor = -128.0F / most;
  block.scale = float_to_half(1.0F / factor);
  for (std::size_t run = 0; run < kRuns; ++run) {
    block.scales[run] = static_cast<std::int8_t>(std::min(127, nearest_int(factor * scales[run])));
    choose_codes({values + run * kRun, kRun}, scaled(block.scale, block.scales[run]), 0.0F, -32, 31,
                 codes + run * kRun);
  }
  put_nibbles(codes, 2 * kPart, block.codes);
  for (std::size_t i = 0; i < kSuperBlock; ++i) {
    std::uint8_t& high = block.high[i / 128 * kPart + i % kPart];
    high = byte_of(high | (codes[i] >> 4) << (i / kPart % 4 * 2));
  }
}

}  // namespace speech
