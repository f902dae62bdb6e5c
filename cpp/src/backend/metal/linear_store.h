// What becomes of the sums of a product before they are stored, on a Metal GPU. Must not know the host.
#pragma once

#include <metal_stdlib>

#include "kernel_params.h"

using namespace metal;
using namespace speech;

// x / 2 * (1 + erf(x / sqrt(2))), by the polynomial of the CPU's kernels; see gelu() of kernels/scalar.cpp.
inline float gelu(float x) {
  const float near = min(max(x, -5.2f), 5.2f);
  const float t = near * near * (2.0f / (5.2f * 5.2f)) - 1.0f;
  float p = -9.21496772e-4f;
  p = p * t + 2.49916408e-3f;
  p = p * t - 2.54871044e-3f;
  p = p * t + 3.69561696e-3f;
  p = p * t - 9.47629381e-3f;
  p = p * t + 1.70310773e-2f;
  p = p * t - 2.50555556e-2f;
  p = p * t + 3.59471105e-2f;
  p = p * t - 4.94379476e-2f;
  p = p * t + 6.39728904e-2f;
  p = p * t - 7.98603967e-2f;
  p = p * t + 0.100049511f;
  p = p * t - 0.135487318f;
  p = p * t + 0.271899968f;
  const float erf = near * p + (x - near);
  return 0.5f * x * min(max(erf, -1.0f), 1.0f) + 0.5f * x;
}

// out[row][column] <- the sum with bias, activation and residual.
inline void store_linear(float sum, uint row, uint column, device const float* bias, device const float* residual,
                         device uchar* out, constant LinearParams& params) {
  const uint at = row * params.n_out + column;
  float value = sum;
  if ((params.flags & kLinearBias) != 0) {
    value += bias[column];
  }
  if ((params.flags & kLinearGelu) != 0) {
    value = gelu(value);
  }
  if ((params.flags & kLinearResidual) != 0) {
    value += residual[at];
  }
  if ((params.flags & kLinearHalfOut) != 0) {
    reinterpret_cast<device half*>(out)[at] = half(value);
  } else {
    reinterpret_cast<device float*>(out)[at] = value;
  }
}
