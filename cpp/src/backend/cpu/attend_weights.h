// The weights of one attention head of the CPU back-end, stored: what attend() keeps to itself. Knows pointers and
// counts only.
#pragma once

#include <cstddef>

#include "backend/cpu/task_runner.h"
#include "kernels/kernel_table.h"

namespace speech {

/// out <- softmax(q k^T / sqrt(head_width)) of one head, as Stream::attend_weights() says.
struct AttentionWeightsOfHead {
  const float* q = nullptr;  ///< the head's columns of (n_rows, width)
  std::size_t n_rows = 0;
  const void* k = nullptr;             ///< the head's columns of (n_keys, width)
  WeightFormat k_format = kFormatF32;  ///< kFormatF32 or kFormatF16
  std::size_t k_stride_bytes = 0;
  std::size_t n_keys = 0;
  std::size_t width = 0;
  std::size_t head_width = 0;
  float* out = nullptr;  ///< (n_rows, n_keys)
};

/// False if the abort callback stopped it. The result does not depend on the number of threads.
bool attend_weights(const KernelTable& kernels, TaskRunner& runner, const AttentionWeightsOfHead& head);

}  // namespace speech
