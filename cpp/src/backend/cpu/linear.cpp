// Matrix products of the CPU back-end; see linear.h.
//
// More than a few rows: tiles of kTileRows x kTileColumns outputs. For each stretch of kDepth inputs a tile copies its
// rows of activations and converts its weights to float panels, both into scratch, and multiplies them. Sizes: one
// panel (16 x kDepth floats, 16 KiB) stays in the first-level cache while all rows pass it; rows and panels of a tile
// (kTileRows * kDepth + kTileColumns * kDepth floats, 380 KiB) stay in a second-level cache of 512 KiB. Converting
// costs about 1 / kTileRows of the work.
//
// Few rows (a decoding step): each weight row is read once, converted on the fly, and multiplied with all of them.

#include "backend/cpu/linear.h"

#include <algorithm>
#include <cstring>

namespace speech {
namespace {

constexpr std::size_t kTileRows = 252;  // a multiple of the register tiles' rows (2, 4, 6)
constexpr std::size_t kTileColumns = 128;
constexpr std::size_t kDepth = 256;          // whole blocks of every format
constexpr std::size_t kDotRowsPerTask = 64;  // outputs

static_assert(kTileColumns % kPanelColumns == 0 && kDepth % kFormatBlock == 0);

constexpr std::size_t kActivationFloats = kTileRows * kDepth;
constexpr std::size_t kPanelFloats = kTileColumns * kDepth;
constexpr std::size_t kSumFloats = kTileRows * kTileColumns;
constexpr std::size_t kStagingFloats = kPanelColumns * kDepth;
static_assert(kSumFloats >= kMaxDotRows * kDotRowsPerTask);

std::size_t bytes_before(WeightFormat format, std::size_t values) {
  constexpr std::size_t kBlockBytes[kWeightFormats] = {128, 64, 18, 20, 22, 24, 34};  // of 32 values
  return values * kBlockBytes[format] / kFormatBlock;
}

// Bias, activation, residual and type of out for rows [row, row + n_rows), columns [column, column + n_columns).
void store(const KernelTable& kernels, const Product& p, float* sums, std::size_t sum_stride, std::size_t row,
           std::size_t n_rows, std::size_t column, std::size_t n_columns) {
  const float* bias = p.bias != nullptr ? p.bias + column : nullptr;
  for (std::size_t r = 0; r < n_rows; ++r) {
    const std::size_t at = (row + r) * p.n_out + column;
    float* sum = sums + r * sum_stride;
    const float* residual = p.residual != nullptr ? p.residual + at : nullptr;
    if (p.out_is_f16) {
      kernels.finish(sum, bias, p.gelu, residual, n_columns, sum);
      kernels.f32_to_f16(sum, n_columns, static_cast<std::uint16_t*>(p.out) + at);
    } else {
      kernels.finish(sum, bias, p.gelu, residual, n_columns, static_cast<float*>(p.out) + at);
    }
  }
}

// dst (n) <- values [begin, begin + n) of the flat input, zero outside of it.
void copy_padded(const Product& p, std::ptrdiff_t begin, std::size_t n, float* dst) {
  const auto end = begin + static_cast<std::ptrdiff_t>(n);
  const std::ptrdiff_t from = std::clamp<std::ptrdiff_t>(0, begin, end);
  const std::ptrdiff_t to = std::clamp<std::ptrdiff_t>(p.in_size, from, end);
  std::fill(dst, dst + (from - begin), 0.0F);
  if (to > from) {
    std::memcpy(dst + (from - begin), p.in + from, static_cast<std::size_t>(to - from) * sizeof(float));
  }
  std::fill(dst + (to - begin), dst + n, 0.0F);
}

void multiply_tile(const KernelTable& kernels, const Product& p, std::size_t row, std::size_t column, float* scratch) {
  float* const activations = scratch;
  float* const panels = activations + kActivationFloats;
  float* const sums = panels + kPanelFloats;
  float* const staging = sums + kSumFloats;
  const std::size_t n_rows = std::min(kTileRows, p.n_rows - row);
  const std::size_t n_columns = std::min(kTileColumns, p.n_out - column);
  const std::size_t n_panels = (n_columns + kPanelColumns - 1) / kPanelColumns;
  const auto* weight = static_cast<const std::byte*>(p.weight) + column * p.weight_stride_bytes;

  for (std::size_t k = 0; k < p.k; k += kDepth) {
    const std::size_t depth = std::min(kDepth, p.k - k);
    for (std::size_t r = 0; r < n_rows; ++r) {
      const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(row + r) * p.in_step + p.in_offset;
      copy_padded(p, begin + static_cast<std::ptrdiff_t>(k), depth, activations + r * kDepth);
    }
    for (std::size_t panel = 0; panel < n_panels; ++panel) {
      const std::size_t first = panel * kPanelColumns;
      const std::size_t count = std::min<std::size_t>(kPanelColumns, n_columns - first);
      kernels.to_f32[p.format](weight + first * p.weight_stride_bytes + bytes_before(p.format, k),
                               p.weight_stride_bytes, count, depth, staging, kDepth);
      kernels.pack_panel(staging, kDepth, count, depth, panels + panel * depth * kPanelColumns);
    }
    kernels.gemm(activations, kDepth, n_rows, depth, panels, kPanelColumns, depth * kPanelColumns, n_panels, sums,
                 kTileColumns, k > 0);
  }
  store(kernels, p, sums, kTileColumns, row, n_rows, column, n_columns);
}

bool multiply_few_rows(const KernelTable& kernels, TaskRunner& runner, const Product& p) {
  const std::size_t n_tasks = (p.n_out + kDotRowsPerTask - 1) / kDotRowsPerTask;
  return runner.run(static_cast<int>(n_tasks), false, [&](int task, float* sums) {
    const std::size_t first = static_cast<std::size_t>(task) * kDotRowsPerTask;
    const std::size_t count = std::min(kDotRowsPerTask, p.n_out - first);
    kernels.dots[p.format](static_cast<const std::byte*>(p.weight) + first * p.weight_stride_bytes,
                           p.weight_stride_bytes, count, p.k, p.in, p.k, p.n_rows, sums, kDotRowsPerTask);
    store(kernels, p, sums, kDotRowsPerTask, 0, p.n_rows, first, count);
  });
}

}  // namespace

std::size_t multiply_scratch_floats() { return kActivationFloats + kPanelFloats + kSumFloats + kStagingFloats; }

bool multiply(const KernelTable& kernels, TaskRunner& runner, const Product& p) {
  const bool is_matrix = p.in_offset == 0 && p.in_step == static_cast<std::ptrdiff_t>(p.k);
  if (p.n_rows <= kMaxDotRows && is_matrix) {
    return multiply_few_rows(kernels, runner, p);
  }
  const std::size_t row_tiles = (p.n_rows + kTileRows - 1) / kTileRows;
  const std::size_t column_tiles = (p.n_out + kTileColumns - 1) / kTileColumns;
  return runner.run(static_cast<int>(row_tiles * column_tiles), true, [&](int task, float* scratch) {
    const auto tile = static_cast<std::size_t>(task);
    multiply_tile(kernels, p, tile % row_tiles * kTileRows, tile / row_tiles * kTileColumns, scratch);
  });
}

}  // namespace speech
