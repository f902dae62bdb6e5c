// One block of each quantised type from its values. The formulas are those by which published models were made
// (ggml's), down to the order in which numbers are added; the formats themselves are described in dtype.h.
#pragma once

#include "tensor/dtype.h"

namespace speech {

/// values: kQuantBlock of them, finite.
void quantize_block(const float* values, BlockQ4_0& block);
void quantize_block(const float* values, BlockQ4_1& block);
void quantize_block(const float* values, BlockQ5_0& block);
void quantize_block(const float* values, BlockQ5_1& block);
void quantize_block(const float* values, BlockQ8_0& block);

/// values: kSuperBlock of them, finite.
void quantize_block(const float* values, BlockQ2_K& block);
void quantize_block(const float* values, BlockQ3_K& block);
void quantize_block(const float* values, BlockQ4_K& block);
void quantize_block(const float* values, BlockQ5_K& block);
void quantize_block(const float* values, BlockQ6_K& block);

}  // namespace speech
