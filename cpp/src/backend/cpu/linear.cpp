// Matrix products of the CPU back-end; see linear.h.
//
// More than a few rows: tiles of outputs. For each stretch of kSumRun inputs a tile widens its weights, kGemmPanels at
// a time, and multiplies all its rows of activations with these, where they lie; only a convolution's tile at an edge
// copies its rows, for their padding. Sizes: two panels (16 x 256 floats, 16 KiB each) stay in the first-level cache,
// or nearly so, while the rows pass them; rows and sums of a tile (kTileRows * (256 + kTileColumns) floats, 360 KiB)
// stay in a second-level cache of 512 KiB. Widening costs about 1 / kTileRows of the work.
//
// Few rows of a packed weight of F16 (a decoding step): each weight is read once, widened on the fly, and multiplied
// with all of them. The sums are the same to the last bit.
//
// A packed quantised weight is multiplied in integers: a task quantises its rows of activations (kBlockRows of them, or
// as many as kActivationFloats hold), which costs about 1 / 10 of multiplying them with kFewRowsPanels panels, and then
// multiplies kPanelsAtOnce panels after the other. Few or many rows are the same work in the same order.

#include "backend/cpu/linear.h"

#include <algorithm>
#include <cstring>

#include "backend/check.h"

namespace speech {
namespace {

constexpr std::size_t kTileRows = 180;  // a multiple of the register tiles' rows (2, 4, 5, 6, 12)
constexpr std::size_t kTileColumns = 256;
constexpr std::size_t kDepth = kSumRun;     // whole blocks of every format
constexpr std::size_t kFewRowsPanels = 12;  // of one task
constexpr std::size_t kManyRowsPanels = 64;
constexpr std::size_t kPanelsAtOnce = 4;  // whose sums are finished while they are in the first-level cache
constexpr std::size_t kBlockRows = 96;

static_assert(kTileColumns % kPanelColumns == 0 && kDepth % kFormatBlock == 0 && kDepth % kSuperBlock == 0);

constexpr std::size_t kActivationFloats = kTileRows * kDepth;
constexpr std::size_t kPanelFloats = kPanelColumns * kDepth;
constexpr std::size_t kGemmPanels = 2;  // as many as one register tile of AVX-512 has
constexpr std::size_t kSumFloats = kTileRows * kTileColumns;
constexpr std::size_t kStagingFloats = kPanelColumns * kDepth;
static_assert(kSumFloats >= kMaxDotRows * kFewRowsPanels * kPanelColumns);
static_assert(kSumFloats >= kBlockRows * kPanelsAtOnce * kPanelColumns);

// `values` is whole blocks.
std::size_t bytes_before(WeightFormat format, std::size_t values) {
  constexpr std::size_t kBytesOf256[kWeightFormats] = {1024, 512, 144, 160, 176, 192, 272, 84, 110, 144, 176, 210};
  return values * kBytesOf256[format] / 256;
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

// panel (depth, kPanelColumns) <- inputs [k, k + depth) of outputs [first, first + count).
void widen_panel(const KernelTable& kernels, const Product& p, std::size_t first, std::size_t count, std::size_t k,
                 std::size_t depth, float* staging, float* panel) {
  const auto* weight = static_cast<const std::byte*>(p.weight) + first * p.weight_stride_bytes;
  if (p.packed) {
    kernels.half_panel_to_f32(weight + bytes_before(p.format, k) * kPanelColumns, depth, panel);
    return;
  }
  kernels.to_f32[p.format](weight + bytes_before(p.format, k), p.weight_stride_bytes, count, depth, staging, kDepth);
  kernels.pack_panel(staging, kDepth, count, depth, panel);
}

struct Tile {
  std::size_t row, n_rows, column, n_columns;
};

struct Activations {
  const float* rows;
  std::size_t stride;  // values from one row to the next
};

// The rows of a tile, inputs [k, k + depth): where they lie, or padded in scratch.
Activations tile_rows(const Product& p, const Tile& tile, std::size_t k, std::size_t depth, float* scratch) {
  const auto first = static_cast<std::ptrdiff_t>(tile.row) * p.in_step + p.in_offset + static_cast<std::ptrdiff_t>(k);
  const std::ptrdiff_t last = first + static_cast<std::ptrdiff_t>(tile.n_rows - 1) * p.in_step;
  if (first >= 0 && last + static_cast<std::ptrdiff_t>(depth) <= p.in_size) {
    return {p.in + first, static_cast<std::size_t>(p.in_step)};
  }
  for (std::size_t r = 0; r < tile.n_rows; ++r) {
    copy_padded(p, first + static_cast<std::ptrdiff_t>(r) * p.in_step, depth, scratch + r * kDepth);
  }
  return {scratch, kDepth};
}

void multiply_tile(const KernelTable& kernels, const Product& p, const Tile& tile, float* scratch) {
  float* const padded = scratch;
  float* const panels = padded + kActivationFloats;
  float* const sums = panels + kGemmPanels * kPanelFloats;
  float* const staging = sums + kSumFloats;
  for (std::size_t k = 0; k < p.k; k += kDepth) {
    const std::size_t depth = std::min(kDepth, p.k - k);
    const auto [rows, stride] = tile_rows(p, tile, k, depth, padded);
    for (std::size_t column = 0; column < tile.n_columns; column += kGemmPanels * kPanelColumns) {
      std::size_t n_panels = 0;
      for (std::size_t at = column; n_panels < kGemmPanels && at < tile.n_columns; at += kPanelColumns, ++n_panels) {
        widen_panel(kernels, p, tile.column + at, std::min<std::size_t>(kPanelColumns, tile.n_columns - at), k, depth,
                    staging, panels + n_panels * kPanelFloats);
      }
      kernels.gemm(rows, stride, tile.n_rows, depth, panels, kPanelColumns, kPanelFloats, n_panels, sums + column,
                   kTileColumns, k > 0);
    }
  }
  store(kernels, p, sums, kTileColumns, tile.row, tile.n_rows, tile.column, tile.n_columns);
}

bool multiply_few_rows(const KernelTable& kernels, TaskRunner& runner, const Product& p) {
  const std::size_t n_panels = (p.n_out + kPanelColumns - 1) / kPanelColumns;
  const std::size_t n_tasks = (n_panels + kFewRowsPanels - 1) / kFewRowsPanels;
  constexpr std::size_t kStride = kFewRowsPanels * kPanelColumns;
  return runner.run(static_cast<int>(n_tasks), false, [&](int task, float* sums) {
    const std::size_t panel = static_cast<std::size_t>(task) * kFewRowsPanels;
    const std::size_t first = panel * kPanelColumns;
    kernels.half_panel_dots(static_cast<const std::byte*>(p.weight) + first * p.weight_stride_bytes,
                            p.weight_stride_bytes * kPanelColumns, std::min(kFewRowsPanels, n_panels - panel), p.k,
                            p.in, p.k, p.n_rows, sums, kStride);
    store(kernels, p, sums, kStride, 0, p.n_rows, first, std::min(kStride, p.n_out - first));
  });
}

struct BlockTile {
  std::size_t row, n_rows, panel, n_panels;
};

void multiply_block_tile(const KernelTable& kernels, const Product& p, const BlockTile& tile, float* scratch) {
  auto* const blocks = reinterpret_cast<ActivationBlock*>(scratch);  // (k / kFormatBlock, n_rows)
  float* const sums = scratch + kActivationFloats;
  for (std::size_t r = 0; r < tile.n_rows; ++r) {
    kernels.quantize(p.in + (tile.row + r) * p.k, p.k, blocks + r, tile.n_rows);
  }
  constexpr std::size_t kStride = kPanelsAtOnce * kPanelColumns;
  const std::size_t panel_bytes = p.weight_stride_bytes * kPanelColumns;
  for (std::size_t done = 0; done < tile.n_panels; done += kPanelsAtOnce) {
    const std::size_t panel = tile.panel + done;
    const std::size_t column = panel * kPanelColumns;
    kernels.panel_products[p.format](static_cast<const std::byte*>(p.weight) + panel * panel_bytes, panel_bytes,
                                     std::min(kPanelsAtOnce, tile.n_panels - done), p.k, blocks, tile.n_rows,
                                     tile.n_rows, sums, kStride);
    store(kernels, p, sums, kStride, tile.row, tile.n_rows, column, std::min(kStride, p.n_out - column));
  }
}

bool multiply_blocks(const KernelTable& kernels, TaskRunner& runner, const Product& p) {
  const std::size_t fit =
      kActivationFloats * sizeof(float) / (std::max<std::size_t>(1, p.k / kFormatBlock) * sizeof(ActivationBlock));
  SPEECH_CHECK(fit > 0);
  const std::size_t most_rows = fit < kBlockRows ? std::min(fit, kBlockRows / 2) : kBlockRows;
  const std::size_t row_tiles = (p.n_rows + most_rows - 1) / most_rows;
  const std::size_t n_panels = (p.n_out + kPanelColumns - 1) / kPanelColumns;
  const std::size_t most_panels = p.n_rows <= kBlockRows ? kFewRowsPanels : kManyRowsPanels;
  const std::size_t panel_tiles = (n_panels + most_panels - 1) / most_panels;
  return runner.run(static_cast<int>(row_tiles * panel_tiles), p.n_rows > kMaxDotRows, [&](int task, float* scratch) {
    const std::size_t row = static_cast<std::size_t>(task) % row_tiles * most_rows;
    const std::size_t panel = static_cast<std::size_t>(task) / row_tiles * most_panels;
    multiply_block_tile(kernels, p,
                        {.row = row,
                         .n_rows = std::min(most_rows, p.n_rows - row),
                         .panel = panel,
                         .n_panels = std::min(most_panels, n_panels - panel)},
                        scratch);
  });
}

}  // namespace

WeightFormat weight_format(DType dtype) {
  switch (dtype) {
    case DType::kF32: return kFormatF32;
    case DType::kF16: return kFormatF16;
    case DType::kQ4_0: return kFormatQ4_0;
    case DType::kQ4_1: return kFormatQ4_1;
    case DType::kQ5_0: return kFormatQ5_0;
    case DType::kQ5_1: return kFormatQ5_1;
    case DType::kQ8_0: return kFormatQ8_0;
    case DType::kQ2_K: return kFormatQ2_K;
    case DType::kQ3_K: return kFormatQ3_K;
    case DType::kQ4_K: return kFormatQ4_K;
    case DType::kQ5_K: return kFormatQ5_K;
    case DType::kQ6_K: return kFormatQ6_K;
    case DType::kI32: break;
  }
  contract_broken(__FILE__, __LINE__, "a weight has a type that the kernels know");
}

void widen_packed_row(const KernelTable& kernels, WeightFormat format, const void* panels, std::size_t row,
                      std::size_t k, float* out) {
  const std::size_t panel_bytes = bytes_before(format, k) * kPanelColumns;
  kernels.panel_row_to_f32[format](static_cast<const std::byte*>(panels) + row / kPanelColumns * panel_bytes,
                                   row % kPanelColumns, k, out);
}

std::size_t multiply_scratch_floats() {
  return kActivationFloats + kGemmPanels * kPanelFloats + kSumFloats + kStagingFloats;
}

bool multiply(const KernelTable& kernels, TaskRunner& runner, const Product& p) {
  const bool is_matrix = p.in_offset == 0 && p.in_step == static_cast<std::ptrdiff_t>(p.k);
  SPEECH_CHECK(is_matrix || !p.packed);
  if (p.packed && p.format != kFormatF16) {
    return multiply_blocks(kernels, runner, p);
  }
  if (p.packed && p.n_rows <= kMaxDotRows) {
    return multiply_few_rows(kernels, runner, p);
  }
  const std::size_t row_tiles = (p.n_rows + kTileRows - 1) / kTileRows;
  const std::size_t column_tiles = (p.n_out + kTileColumns - 1) / kTileColumns;
  return runner.run(static_cast<int>(row_tiles * column_tiles), true, [&](int task, float* scratch) {
    const std::size_t row = static_cast<std::size_t>(task) % row_tiles * kTileRows;
    const std::size_t column = static_cast<std::size_t>(task) / row_tiles * kTileColumns;
    multiply_tile(kernels, p,
                  {.row = row,
                   .n_rows = std::min(kTileRows, p.n_rows - row),
                   .column = column,
                   .n_columns = std::min(kTileColumns, p.n_out - column)},
                  scratch);
  });
}

}  // namespace speech
