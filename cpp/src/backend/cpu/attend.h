// Scaled dot-product attention of the CPU back-end, tiled over the kernels of one table. Knows pointers and counts
// only.
#pragma once

#include <cstddef>

#include "backend/cpu/task_runner.h"
#include "kernels/kernel_table.h"

namespace speech {

/// out <- softmax(q k^T / sqrt(width / n_heads) + mask) v for each head, as Stream::attend() says.
struct Attention {
  const float* q = nullptr;  ///< (n_rows, width)
  std::size_t n_rows = 0;
  const void* k = nullptr;             ///< (n_keys, width)
  const void* v = nullptr;             ///< (n_keys, width)
  WeightFormat k_format = kFormatF32;  ///< kFormatF32 or kFormatF16
  WeightFormat v_format = kFormatF32;
  std::size_t n_keys = 0;
  std::size_t width = 0;
  std::size_t n_heads = 0;
  const float* mask = nullptr;  ///< (n_rows, n_keys) or null
  float* out = nullptr;         ///< (n_rows, width)
};

/// Values of scratch that attend() needs for each thread.
std::size_t attend_scratch_floats();

/// False if the abort callback stopped it. The result does not depend on the number of threads.
bool attend(const KernelTable& kernels, TaskRunner& runner, const Attention& attention);

}  // namespace speech
