// Random rows of weights, packed into panels by a table.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/arrays.h"
#include "kernels/kernel_table.h"
#include "kernels/weights.h"

namespace speech {

struct PackedWeight {
  std::vector<RandomWeight> rows;
  std::size_t panel_bytes = 0;
  Array<std::uint8_t> panels = Array<std::uint8_t>(0, 0);
};

/// n_rows rows of k weights as panels that `kernels` packs, each panel 32 bytes before the next; not aligned.
inline PackedWeight packed_weight(const KernelTable& kernels, std::size_t format, std::size_t n_rows, std::size_t k) {
  const DType dtype = kWeightTypes[format];
  const std::size_t stride = row_bytes(dtype, static_cast<std::int64_t>(k));
  const std::size_t n_panels = (n_rows + kPanelColumns - 1) / kPanelColumns;
  PackedWeight weight;
  weight.panel_bytes = stride * kPanelColumns + 32;
  weight.panels = Array<std::uint8_t>(n_panels * weight.panel_bytes, 3);
  Array<std::uint8_t> bytes(n_rows * (stride + 2), 1);
  for (std::size_t r = 0; r < n_rows; ++r) {
    weight.rows.push_back(random_weight(dtype, static_cast<std::int64_t>(k), static_cast<unsigned>(r)));
    if (k > 0) {
      std::memcpy(bytes.data() + r * (stride + 2), weight.rows[r].image.data(), stride);
    }
  }
  for (std::size_t panel = 0; panel < n_panels; ++panel) {
    const std::size_t first = panel * kPanelColumns;
    kernels.pack_rows[format](bytes.data() + first * (stride + 2), stride + 2,
                              std::min<std::size_t>(kPanelColumns, n_rows - first), k,
                              weight.panels.data() + panel * weight.panel_bytes);
  }
  return weight;
}

}  // namespace speech
