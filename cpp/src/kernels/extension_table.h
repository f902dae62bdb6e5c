// A table of a table below it and integer products of its own: the text of several tables, included behind
// vector_blocks.h and within their namespace; see vector_rows.h for how such texts are included.

#include "kernels/vector_super_blocks.h"

constexpr PanelProducts kPanelProducts[kPanelFormats] = SPEECH_PANEL_PRODUCTS;

KernelTable with_own_products(const KernelTable& below, const char* name) {
  KernelTable table = below;
  table.name = name;
  table.quantize = quantize;
  for (int format = 0; format < kPanelFormats; ++format) {
    table.panel_products[format] = kPanelProducts[format];
  }
  return table;
}
