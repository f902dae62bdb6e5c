// Scaled dot-product attention of the CPU back-end; see attend.h.
//
// Both ways walk over the keys in blocks and keep a running maximum and sum for each row (online softmax: Milakov and
// Gimelshein 2018; Dao et al. 2022), so that no (N, T) matrix is ever stored.
// Many rows: a task has one head and kQueryRows rows; a block of keys and values becomes float panels for the same
// micro-kernel as the matrix products. Few rows: a task has heads that lie side by side and up to kMaxDotRows
// rows; keys and values are read once, as they lie.

#include "backend/cpu/attend.h"

#include <algorithm>
#include <cmath>

namespace speech {
namespace {

constexpr std::size_t kQueryRows =
    504;  // of one task, at most; converting a block costs about 3 / kQueryRows of its work
constexpr std::size_t kGroupRows = 12;  // rows whose scores are in the first-level cache at a time
// Keys of one block. Its panels (128 KiB each of k and v at a head's width of 64) stay in the second-level cache,
// scores of a group (24 KiB) in the first. What a row costs once for each block is 1 / 20 of its work on 256 keys.
constexpr std::size_t kKeys = 2 * kSumRun;
constexpr std::size_t kMaxHeadWidth = 128;  // wider heads go the way of few rows, which has no such bound
constexpr std::size_t kFewRowsKeys = 32;    // their rows of all heads (32 KiB at width 512) come from memory in one go
constexpr std::size_t kFewRowsHeads = 32;   // of one task, at most

static_assert(kQueryRows % kGroupRows == 0 && kKeys % kPanelColumns == 0);

constexpr std::size_t kStagingFloats = kPanelColumns * kMaxHeadWidth;
constexpr std::size_t kKeyFloats = kKeys * kMaxHeadWidth;
constexpr std::size_t kValueFloats = kKeys * kMaxHeadWidth;
constexpr std::size_t kScoreFloats = kGroupRows * kKeys;
constexpr std::size_t kSumFloats = kQueryRows * kMaxHeadWidth / 2;  // all rows of heads of 64, half as many of 128
static_assert(kMaxDotRows * (kFewRowsKeys + 2 * kFewRowsHeads) <= kStagingFloats + kKeyFloats);

constexpr std::size_t value_bytes(WeightFormat format) { return format == kFormatF16 ? 2 : 4; }

// Where head `head` of row `row` of keys or values begins.
const std::byte* head_row(const void* rows, WeightFormat format, const Attention& a, std::size_t row,
                          std::size_t head) {
  const std::size_t head_width = a.width / a.n_heads;
  return static_cast<const std::byte*>(rows) + (row * a.width + head * head_width) * value_bytes(format);
}

// Values of one row of sums: whole panels.
std::size_t padded_head_width(const Attention& a) {
  return (a.width / a.n_heads + kPanelColumns - 1) / kPanelColumns * kPanelColumns;
}

// Rows of one task, whole groups whose sums fit.
std::size_t query_rows(const Attention& a) {
  return std::min(kQueryRows, kSumFloats / padded_head_width(a) / kGroupRows * kGroupRows);
}

void attend_many_rows(const KernelTable& kernels, const Attention& a, std::size_t head, std::size_t row,
                      float* scratch) {
  float* const staging = scratch;
  float* const key_panels = staging + kStagingFloats;
  float* const values = key_panels + kKeyFloats;
  float* const scores = values + kValueFloats;
  float* const sums = scores + kScoreFloats;
  const std::size_t head_width = a.width / a.n_heads;
  const std::size_t padded_width = padded_head_width(a);
  const std::size_t n_value_panels = padded_width / kPanelColumns;
  const std::size_t n_rows = std::min(query_rows(a), a.n_rows - row);
  const float score_scale = 1.0F / std::sqrt(static_cast<float>(head_width));
  float row_max[kQueryRows];
  float row_sum[kQueryRows] = {};
  std::fill(row_max, row_max + kQueryRows, kSoftmaxStart);

  for (std::size_t key = 0; key < a.n_keys; key += kKeys) {
    const std::size_t n_keys = std::min(kKeys, a.n_keys - key);
    const std::size_t n_key_panels = (n_keys + kPanelColumns - 1) / kPanelColumns;
    for (std::size_t first = 0; first < n_keys; first += kPanelColumns) {
      const std::size_t count = std::min<std::size_t>(kPanelColumns, n_keys - first);
      kernels.to_f32[a.k_format](head_row(a.k, a.k_format, a, key + first, head), a.width * value_bytes(a.k_format),
                                 count, head_width, staging, head_width);
      kernels.pack_panel(staging, head_width, count, head_width, key_panels + first * head_width);
    }
    kernels.to_f32[a.v_format](head_row(a.v, a.v_format, a, key, head), a.width * value_bytes(a.v_format), n_keys,
                               head_width, values, padded_width);
    for (std::size_t group = 0; group < n_rows; group += kGroupRows) {
      const std::size_t count = std::min(kGroupRows, n_rows - group);
      const float* q = a.q + (row + group) * a.width + head * head_width;
      kernels.gemm(q, a.width, count, head_width, key_panels, kPanelColumns, head_width * kPanelColumns, n_key_panels,
                   scores, kKeys, false);
      for (std::size_t r = 0; r < count; ++r) {
        const float* mask = a.mask != nullptr ? a.mask + (row + group + r) * a.n_keys + key : nullptr;
        const float factor = kernels.softmax_step(scores + r * kKeys, n_keys, score_scale, mask, &row_max[group + r],
                                                  &row_sum[group + r]);
        if (key > 0 && factor != 1.0F) {
          kernels.scale(sums + (group + r) * padded_width, head_width, factor);
        }
      }
      for (std::size_t at = 0; at < n_keys; at += kSumRun) {
        kernels.gemm(scores + at, kKeys, count, std::min<std::size_t>(kSumRun, n_keys - at), values + at * padded_width,
                     padded_width, kPanelColumns, n_value_panels, sums + group * padded_width, padded_width,
                     key + at > 0);
      }
    }
  }
  for (std::size_t r = 0; r < n_rows; ++r) {
    float* out = a.out + (row + r) * a.width + head * head_width;
    std::copy(sums + r * padded_width, sums + r * padded_width + head_width, out);
    kernels.scale(out, head_width, 1.0F / row_sum[r]);
  }
}

// Heads [first_head, first_head + n_heads) together, so that keys and values are read in the order in which they lie.
void attend_few_rows(const KernelTable& kernels, const Attention& a, std::size_t first_head, std::size_t n_heads,
                     std::size_t row, float* scratch) {
  float* const scores = scratch;
  float* const row_max = scores + kMaxDotRows * kFewRowsKeys;
  float* const row_sum = row_max + n_heads * kMaxDotRows;
  const std::size_t head_width = a.width / a.n_heads;
  const std::size_t n_rows = std::min<std::size_t>(kMaxDotRows, a.n_rows - row);
  const float score_scale = 1.0F / std::sqrt(static_cast<float>(head_width));
  const std::size_t begin = row * a.width + first_head * head_width;
  std::fill(row_max, row_max + n_heads * kMaxDotRows, kSoftmaxStart);
  std::fill(row_sum, row_sum + n_heads * kMaxDotRows, 0.0F);
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::fill_n(a.out + begin + r * a.width, n_heads * head_width, 0.0F);
  }

  for (std::size_t key = 0; key < a.n_keys; key += kFewRowsKeys) {
    const std::size_t n_keys = std::min(kFewRowsKeys, a.n_keys - key);
    for (std::size_t h = 0; h < n_heads; ++h) {
      const float* q = a.q + begin + h * head_width;
      float* out = a.out + begin + h * head_width;
      kernels.dots[a.k_format](head_row(a.k, a.k_format, a, key, first_head + h), a.width * value_bytes(a.k_format),
                               n_keys, head_width, q, a.width, n_rows, scores, kFewRowsKeys);
      for (std::size_t r = 0; r < n_rows; ++r) {
        const float* mask = a.mask != nullptr ? a.mask + (row + r) * a.n_keys + key : nullptr;
        const float factor = kernels.softmax_step(scores + r * kFewRowsKeys, n_keys, score_scale, mask,
                                                  &row_max[h * kMaxDotRows + r], &row_sum[h * kMaxDotRows + r]);
        if (factor != 1.0F) {
          kernels.scale(out + r * a.width, head_width, factor);
        }
      }
      kernels.weighted_sum[a.v_format](head_row(a.v, a.v_format, a, key, first_head + h),
                                       a.width * value_bytes(a.v_format), n_keys, head_width, scores, kFewRowsKeys,
                                       n_rows, out, a.width);
    }
  }
  for (std::size_t h = 0; h < n_heads; ++h) {
    for (std::size_t r = 0; r < n_rows; ++r) {
      kernels.scale(a.out + begin + r * a.width + h * head_width, head_width, 1.0F / row_sum[h * kMaxDotRows + r]);
    }
  }
}

}  // namespace

std::size_t attend_scratch_floats() { return kStagingFloats + kKeyFloats + kValueFloats + kScoreFloats + kSumFloats; }

bool attend(const KernelTable& kernels, TaskRunner& runner, const Attention& a) {
  if (a.n_rows > kMaxDotRows && a.width / a.n_heads <= kMaxHeadWidth) {
    const std::size_t task_rows = query_rows(a);
    const std::size_t row_tiles = (a.n_rows + task_rows - 1) / task_rows;
    return runner.run(static_cast<int>(row_tiles * a.n_heads), true, [&](int task, float* scratch) {
      attend_many_rows(kernels, a, static_cast<std::size_t>(task) / row_tiles,
                       static_cast<std::size_t>(task) % row_tiles * task_rows, scratch);
    });
  }
  // A head's result does not depend on the heads beside it, so these may be shared out by the number of threads.
  const auto n_threads = static_cast<std::size_t>(runner.n_threads());
  const std::size_t heads = std::min(kFewRowsHeads, (a.n_heads + n_threads - 1) / n_threads);
  const std::size_t head_tasks = (a.n_heads + heads - 1) / heads;
  const std::size_t row_tiles = (a.n_rows + kMaxDotRows - 1) / kMaxDotRows;
  return runner.run(static_cast<int>(row_tiles * head_tasks), false, [&](int task, float* scratch) {
    const std::size_t first = static_cast<std::size_t>(task) % head_tasks * heads;
    attend_few_rows(kernels, a, first, std::min(heads, a.n_heads - first),
                    static_cast<std::size_t>(task) / head_tasks * kMaxDotRows, scratch);
  });
}

}  // namespace speech
