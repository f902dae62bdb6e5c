// Matrix products of the CPU back-end, tiled over the kernels of one table. Knows pointers and counts, not tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/task_runner.h"
#include "kernels/kernel_table.h"
#include "tensor/dtype.h"

namespace speech {

/// out (n_rows, n_out) <- act(in (n_rows, k) * weight (n_out, k)^T + bias) + residual.
/// Value i of input row r is in[r * in_step + in_offset + i], and zero where that index is outside [0, in_size): a
/// matrix has in_step = k and in_offset = 0; a convolution over (T, C) rows has k = 3 C, in_step = stride * C,
/// in_offset = -C.
struct Product {
  const void* weight = nullptr;
  WeightFormat format = kFormatF32;
  bool packed = false;                  ///< panels, not rows (kernels/kernel_table.h)
  std::size_t weight_stride_bytes = 0;  ///< of one row; a panel has kPanelColumns times as many
  std::size_t n_out = 0;
  std::size_t k = 0;
  const float* in = nullptr;
  std::size_t n_rows = 0;
  std::ptrdiff_t in_step = 0;
  std::ptrdiff_t in_offset = 0;
  std::ptrdiff_t in_size = 0;
  const float* bias = nullptr;  ///< (n_out) or null
  bool gelu = false;
  const float* residual = nullptr;  ///< (n_rows, n_out) or null; may be out
  void* out = nullptr;
  bool out_is_f16 = false;
};

/// The kernels' name for a type of weights.
WeightFormat weight_format(DType dtype);

/// out (k) <- row `row` of a packed weight.
void widen_packed_row(const KernelTable& kernels, WeightFormat format, const void* panels, std::size_t row,
                      std::size_t k, float* out);

/// Values of scratch that multiply() needs for each thread.
std::size_t multiply_scratch_floats();

/// False if the abort callback stopped it. The result depends neither on the number of threads nor on the tiles.
bool multiply(const KernelTable& kernels, TaskRunner& runner, const Product& product);

}  // namespace speech
