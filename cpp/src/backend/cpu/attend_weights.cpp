// Dot products straight into the rows of the result, then one softmax step over each: no scratch memory.
#include "backend/cpu/attend_weights.h"

#include <algorithm>
#include <cmath>

namespace speech {

bool attend_weights(const KernelTable& kernels, TaskRunner& runner, const AttentionWeightsOfHead& head) {
  const float scale = 1.0F / std::sqrt(static_cast<float>(head.head_width));
  const std::size_t n_tasks = (head.n_rows + kMaxDotRows - 1) / kMaxDotRows;
  return runner.run(static_cast<int>(n_tasks), true, [&](int task, float*) {
    const std::size_t row = static_cast<std::size_t>(task) * kMaxDotRows;
    const std::size_t n_rows = std::min<std::size_t>(kMaxDotRows, head.n_rows - row);
    float* const out = head.out + row * head.n_keys;
    kernels.dots[head.k_format](head.k, head.k_stride_bytes, head.n_keys, head.head_width, head.q + row * head.width,
                                head.width, n_rows, out, head.n_keys);
    for (std::size_t r = 0; r < n_rows; ++r) {
      float* const weights = out + r * head.n_keys;
      float row_max = kSoftmaxStart;
      float row_sum = 0;
      kernels.softmax_step(weights, head.n_keys, scale, nullptr, &row_max, &row_sum);
      kernels.scale(weights, head.n_keys, 1.0F / row_sum);
    }
  });
}

}  // namespace speech
