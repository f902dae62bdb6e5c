// The searches for scales by which K-quants are made: least squares over a handful of starting points. Knows arrays of
// floats only.
#pragma once

#include <cstdint>
#include <span>

namespace speech {

/// Rounded to nearest, ties to even, for magnitudes below 2^22; what it gives beyond is bounded by 2^22 too.
int nearest_int(float value);

/// The scale, and codes 0 .. 2 most - 1 around `most`, with which scale * (code - most) is nearest to the values, each
/// weighed by its square. All codes are 0, and the scale is, where every value is below 1e-15.
float search_scale(std::span<const float> values, int most, std::uint8_t* codes);

/// As search_scale(), but refines one start by moving single codes as long as that is of use, five rounds at most.
float refine_scale(std::span<const float> values, int most, std::uint8_t* codes);

/// How search_scale_and_minimum() starts and measures.
struct Search {
  int most;     ///< the largest code
  float first;  ///< start i gives the values' range most + first + i * step codes
  float step;
  int n_starts;
  bool absolute;  ///< the error is the sum of distances, not of their squares
};

/// What value = scale * code - minimum needs; both are at least 0.
struct ScaleAndMinimum {
  float scale;
  float minimum;
};

/// The scale and minimum, and codes 0 .. search.most, with the least error, each value weighed by its weight.
/// values: at most 32; weights: as many.
ScaleAndMinimum search_scale_and_minimum(std::span<const float> values, const float* weights, const Search& search,
                                         std::uint8_t* codes);

}  // namespace speech
