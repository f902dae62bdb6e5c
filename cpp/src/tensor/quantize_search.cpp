// Sums run in the order of the values, and products in the order in which they are written: see quantize_blocks.h.
#include "tensor/quantize_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "tensor/quantize_exact.h"

namespace speech {
namespace {

constexpr float kNothing = 1e-15F;  // values below it are zeros
constexpr std::size_t kMostValues = 32;

float extreme_of(std::span<const float> values) {
  float extreme = 0.0F;
  for (const float value : values) {
    if (std::fabs(value) > std::fabs(extreme)) {
      extreme = value;
    }
  }
  return extreme;
}

int signed_code(float value, int most) { return std::clamp(nearest_int(value), -most, most - 1); }

/// Weighed sums over codes: of value * code, and of code^2.
struct Sums {
  float xl = 0.0F;
  float l2 = 0.0F;

  void add(float weight, float value, int code) {
    const auto l = static_cast<float>(code);
    xl += weight * value * l;
    l2 += weight * l * l;
  }
};

}  // namespace

int nearest_int(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 12582912.0F);  // 1.5 * 2^23
  return static_cast<int>(bits & 0x007FFFFFU) - 0x00400000;
}

float search_scale(std::span<const float> values, int most, std::uint8_t* codes) {
  const float extreme = extreme_of(values);
  if (std::fabs(extreme) < kNothing) {
    std::fill_n(codes, values.size(), std::uint8_t{0});
    return 0.0F;
  }
  const auto sums_of = [&](float factor) {
    Sums sums;
    for (const float value : values) {
      sums.add(value * value, value, signed_code(factor * value, most));
    }
    return sums;
  };
  const auto keep = [&](float factor) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      codes[i] = static_cast<std::uint8_t>(signed_code(factor * values[i], most) + most);
    }
  };
  const auto most_value = static_cast<float>(most);
  float factor = -most_value / extreme;
  Sums sums = sums_of(factor);
  keep(factor);
  float scale = sums.l2 != 0.0F ? sums.xl / sums.l2 : 0.0F;
  float best = scale * sums.xl;
  for (int shift = -9; shift <= 9; ++shift) {
    if (shift == 0) {
      continue;
    }
    factor = -(most_value + 0.1F * static_cast<float>(shift)) / extreme;
    sums = sums_of(factor);
    if (sums.l2 > 0.0F && sums.xl * sums.xl > best * sums.l2) {
      keep(factor);
      scale = sums.xl / sums.l2;
      best = scale * sums.xl;
    }
  }
  return scale;
}

float refine_scale(std::span<const float> values, int most, std::uint8_t* codes) {
  const float extreme = extreme_of(values);
  if (std::fabs(extreme) < kNothing) {
    std::fill_n(codes, values.size(), std::uint8_t{0});
    return 0.0F;
  }
  const float factor = static_cast<float>(-most) / extreme;
  int signed_codes[kMostValues];
  Sums sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    signed_codes[i] = signed_code(factor * values[i], most);
    sums.add(values[i] * values[i], values[i], signed_codes[i]);
  }
  bool changed = true;
  for (int round = 0; round < 5 && changed; ++round) {
    changed = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float value = values[i];
      const float weight = value * value;
      const auto old = static_cast<float>(signed_codes[i]);
      Sums others = {sums.xl - weight * value * old, sums.l2 - weight * old * old};
      if (!(others.xl > 0.0F)) {
        continue;
      }
      const int code = signed_code(value * others.l2 / others.xl, most);
      if (code == signed_codes[i]) {
        continue;
      }
      others.add(weight, value, code);
      if (others.l2 > 0.0F && others.xl * others.xl * sums.l2 > sums.xl * sums.xl * others.l2) {
        signed_codes[i] = code;
        sums = others;
        changed = true;
      }
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = static_cast<std::uint8_t>(signed_codes[i] + most);
  }
  return sums.l2 > 0.0F ? sums.xl / sums.l2 : 0.0F;
}

ScaleAndMinimum search_scale_and_minimum(std::span<const float> values, const float* weights, const Search& search,
                                         std::uint8_t* codes) {
  float low = values[0];
  float high = values[0];
  float sum_w = weights[0];
  float sum_x = sum_w * values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
    sum_w += weights[i];
    sum_x += weights[i] * values[i];
  }
  low = std::min(low, 0.0F);
  if (high == low) {
    std::fill_n(codes, values.size(), std::uint8_t{0});
    return {0.0F, -low};
  }
  const auto code_of = [&](float factor, float value) {
    return static_cast<std::uint8_t>(std::clamp(nearest_int(factor * (value - low)), 0, search.most));
  };
  const auto error_of = [&](float scale, float offset, const std::uint8_t* tried) {
    float error = 0.0F;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const float distance = scale * static_cast<float>(tried[i]) + offset - values[i];
      error += weights[i] * (search.absolute ? std::fabs(distance) : distance * distance);
    }
    return error;
  };
  const auto most = static_cast<float>(search.most);
  const float first_factor = most / (high - low);
  float scale = 1.0F / first_factor;
  for (std::size_t i = 0; i < values.size(); ++i) {
    codes[i] = code_of(first_factor, values[i]);
  }
  float best = error_of(scale, low, codes);
  for (int start = 0; start < search.n_starts; ++start) {
    // The range narrows as `low` is replaced: each start goes on from the best so far.
    const float factor = (search.first + search.step * static_cast<float>(start) + most) / (high - low);
    std::uint8_t tried[kMostValues];
    float sum_l = 0.0F;
    float sum_l2 = 0.0F;
    float sum_xl = 0.0F;
    for (std::size_t i = 0; i < values.size(); ++i) {
      tried[i] = code_of(factor, values[i]);
      const auto l = static_cast<float>(tried[i]);
      sum_l += weights[i] * l;
      sum_l2 += weights[i] * l * l;
      sum_xl += weights[i] * l * values[i];
    }
    const float determinant = sum_w * sum_l2 - sum_l * sum_l;
    if (!(determinant > 0.0F)) {
      continue;
    }
    float fitted = (sum_w * sum_xl - sum_x * sum_l) / determinant;
    float offset = (sum_l2 * sum_x - sum_l * sum_xl) / determinant;
    if (offset > 0.0F) {
      offset = 0.0F;
      fitted = sum_xl / sum_l2;
    }
    const float error = error_of(fitted, offset, tried);
    if (error < best) {
      std::copy_n(tried, values.size(), codes);
      best = error;
      scale = fitted;
      low = offset;
    }
  }
  return {scale, -low};
}

}  // namespace speech
