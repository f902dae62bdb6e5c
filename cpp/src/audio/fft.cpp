// A real transform of length 400 as a complex one of length 200 = 5 * 5 * 4 * 2 (Stockham's self-sorting order,
// decimation in frequency), then the usual separation of even and odd samples.
#include "audio/fft.h"

#include <cmath>
#include <numbers>

namespace speech {
namespace {

FftLanes operator+(const FftLanes& x, const FftLanes& y) {
  FftLanes sum;
  for (int i = 0; i < kFftLanes; ++i) {
    sum.lane[i] = x.lane[i] + y.lane[i];
  }
  return sum;
}

FftLanes operator-(const FftLanes& x, const FftLanes& y) {
  FftLanes difference;
  for (int i = 0; i < kFftLanes; ++i) {
    difference.lane[i] = x.lane[i] - y.lane[i];
  }
  return difference;
}

FftLanes operator*(double factor, const FftLanes& x) {
  FftLanes product;
  for (int i = 0; i < kFftLanes; ++i) {
    product.lane[i] = factor * x.lane[i];
  }
  return product;
}

FftLanes square(const FftLanes& x) {
  FftLanes product;
  for (int i = 0; i < kFftLanes; ++i) {
    product.lane[i] = x.lane[i] * x.lane[i];
  }
  return product;
}

FftComplex operator+(const FftComplex& x, const FftComplex& y) { return {x.re + y.re, x.im + y.im}; }
FftComplex operator-(const FftComplex& x, const FftComplex& y) { return {x.re - y.re, x.im - y.im}; }
FftComplex operator*(double factor, const FftComplex& x) { return {factor * x.re, factor * x.im}; }
FftComplex plus_i_times(const FftComplex& x, const FftComplex& y) { return {x.re - y.im, x.im + y.re}; }
FftComplex minus_i_times(const FftComplex& x, const FftComplex& y) { return {x.re + y.im, x.im - y.re}; }

/// The transform of kRadix values, written out.
template <int kRadix>
void butterfly(const std::array<FftComplex, kRadix>& a, std::array<FftComplex, kRadix>& b);

template <>
void butterfly<2>(const std::array<FftComplex, 2>& a, std::array<FftComplex, 2>& b) {
  b[0] = a[0] + a[1];
  b[1] = a[0] - a[1];
}

template <>
void butterfly<4>(const std::array<FftComplex, 4>& a, std::array<FftComplex, 4>& b) {
  const FftComplex even_sum = a[0] + a[2];
  const FftComplex even_difference = a[0] - a[2];
  const FftComplex odd_sum = a[1] + a[3];
  const FftComplex odd_difference = a[1] - a[3];
  b[0] = even_sum + odd_sum;
  b[1] = minus_i_times(even_difference, odd_difference);
  b[2] = even_sum - odd_sum;
  b[3] = plus_i_times(even_difference, odd_difference);
}

template <>
void butterfly<5>(const std::array<FftComplex, 5>& a, std::array<FftComplex, 5>& b) {
  constexpr double kCos1 = 0.30901699437494742410;   // cos(2 pi / 5)
  constexpr double kCos2 = -0.80901699437494742410;  // cos(4 pi / 5)
  constexpr double kSin1 = 0.95105651629515357212;   // sin(2 pi / 5)
  constexpr double kSin2 = 0.58778525229247312917;   // sin(4 pi / 5)
  const FftComplex outer_sum = a[1] + a[4];
  const FftComplex outer_difference = a[1] - a[4];
  const FftComplex inner_sum = a[2] + a[3];
  const FftComplex inner_difference = a[2] - a[3];
  const FftComplex real1 = a[0] + kCos1 * outer_sum + kCos2 * inner_sum;
  const FftComplex real2 = a[0] + kCos2 * outer_sum + kCos1 * inner_sum;
  const FftComplex imaginary1 = kSin1 * outer_difference + kSin2 * inner_difference;
  const FftComplex imaginary2 = kSin2 * outer_difference - kSin1 * inner_difference;
  b[0] = a[0] + outer_sum + inner_sum;
  b[1] = minus_i_times(real1, imaginary1);
  b[2] = minus_i_times(real2, imaginary2);
  b[3] = plus_i_times(real2, imaginary2);
  b[4] = plus_i_times(real1, imaginary1);
}

}  // namespace

RealFft400::RealFft400() {
  for (std::size_t k = 0; k < roots_200_.size(); ++k) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / 200.0;
    roots_200_[k] = {std::cos(angle), -std::sin(angle)};
  }
  for (std::size_t k = 0; k < roots_400_.size(); ++k) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / 400.0;
    roots_400_[k] = {std::cos(angle), -std::sin(angle)};
  }
}

const RealFft400& RealFft400::instance() {
  static const RealFft400 kFft;
  return kFft;
}

/// One Stockham pass: `stride` interleaved transforms of `length` become stride * kRadix of length / kRadix.
template <int kRadix>
void RealFft400::pass(const FftComplex* in, FftComplex* out, int length, int stride) const {
  const int part = length / kRadix;
  for (int p = 0; p < part; ++p) {
    for (int q = 0; q < stride; ++q) {
      std::array<FftComplex, kRadix> a;
      std::array<FftComplex, kRadix> b;
      for (int j = 0; j < kRadix; ++j) {
        a[j] = in[q + stride * (p + part * j)];
      }
      butterfly<kRadix>(a, b);
      FftComplex* target = out + q + stride * kRadix * p;
      target[0] = b[0];
      for (int k = 1; k < kRadix; ++k) {
        const Root root = roots_200_[p * k * stride];  // p * k < length and length * stride = 200
        target[stride * k] = {root.cosine * b[k].re - root.sine * b[k].im, root.cosine * b[k].im + root.sine * b[k].re};
      }
    }
  }
}

void RealFft400::power(const std::array<FftLanes, kFftLength>& frames, Scratch& scratch,
                       std::array<FftLanes, kSpectrumBins>& power) const {
  constexpr int kHalf = kFftLength / 2;
  for (int n = 0; n < kHalf; ++n) {  // even samples are the real parts, odd ones the imaginary parts
    scratch.a[n] = {frames[2 * n], frames[2 * n + 1]};
  }
  pass<5>(scratch.a.data(), scratch.b.data(), 200, 1);
  pass<5>(scratch.b.data(), scratch.a.data(), 40, 5);
  pass<4>(scratch.a.data(), scratch.b.data(), 8, 25);
  pass<2>(scratch.b.data(), scratch.a.data(), 2, 100);
  for (int k = 0; k <= kHalf; ++k) {
    const FftComplex& z = scratch.a[k % kHalf];
    const FftComplex& mirrored = scratch.a[(kHalf - k) % kHalf];
    // Twice the spectra of the even and of the odd samples.
    const FftComplex even = {z.re + mirrored.re, z.im - mirrored.im};
    const FftComplex odd = {z.im + mirrored.im, mirrored.re - z.re};
    const Root root = roots_400_[k];
    const FftLanes re = even.re + (root.cosine * odd.re - root.sine * odd.im);
    const FftLanes im = even.im + (root.cosine * odd.im + root.sine * odd.re);
    power[k] = 0.25 * (square(re) + square(im));
  }
}

}  // namespace speech
