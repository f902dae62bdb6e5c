// All that a table for a vector instruction set is made of but its primitives, its matrix product and its packing of
// rows: the text of several tables, not a header of its own; see vector_rows.h for how it is included.

#include "kernels/pack_blocks.h"
#include "kernels/super_blocks.h"
#include "kernels/vector_blocks.h"
#include "kernels/vector_panels.h"
#include "kernels/vector_products.h"
#include "kernels/vector_rows.h"
#include "kernels/vector_super_blocks.h"

// Besides the above, the functions pack_panel, pack_rows_f16 and gemm must have been defined.
#define SPEECH_VECTOR_TABLE(table_name)                                                                              \
  {                                                                                                                  \
      .name = (table_name),                                                                                          \
      .to_f32 = {to_f32<F32>, to_f32<F16>, to_f32<Nibbles<false, false>>, to_f32<Nibbles<true, false>>,              \
                 to_f32<Nibbles<false, true>>, to_f32<Nibbles<true, true>>, to_f32<Q8_0>,                            \
                 SPEECH_OF_SUPER_BLOCKS(super_blocks_to_f32)},                                                       \
      .f32_to_f16 = f32_to_f16,                                                                                      \
      .pack_panel = pack_panel,                                                                                      \
      .pack_rows = {nullptr, SPEECH_PACK_ROWS, SPEECH_OF_SUPER_BLOCKS(pack_super_blocks)},                           \
      .panel_row_to_f32 = {nullptr, SPEECH_PANEL_ROW_TO_F32, SPEECH_OF_SUPER_BLOCKS(panel_row_to_f32_super_blocks)}, \
      .half_panel_to_f32 = half_panel_to_f32,                                                                        \
      .half_panel_dots = half_panel_dots,                                                                            \
      .quantize = quantize,                                                                                          \
      .panel_products = SPEECH_PANEL_PRODUCTS,                                                                       \
      .gemm = gemm,                                                                                                  \
      .dots = {dots<F32>, dots<F16>},                                                                                \
      .weighted_sum = {weighted_sum<F32>, weighted_sum<F16>},                                                        \
      .finish = finish,                                                                                              \
      .layer_norm = layer_norm,                                                                                      \
      .add = add_row,                                                                                                \
      .scale = scale_row,                                                                                            \
      .softmax_step = softmax_step,                                                                                  \
  }
