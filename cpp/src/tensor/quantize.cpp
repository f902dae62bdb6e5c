// Checks, and the walk over the blocks; see quantize.h.
#include "tensor/quantize.h"

#include <cmath>
#include <cstring>
#include <string>

#include "tensor/quantize_blocks.h"

namespace speech {
namespace {

template <typename Block>
void quantize_values(const float* source, std::int64_t n_blocks, std::byte* destination) {
  constexpr int kValues = sizeof(Block) > sizeof(BlockQ8_0) ? kSuperBlock : kQuantBlock;
  for (std::int64_t i = 0; i < n_blocks; ++i, source += kValues, destination += sizeof(Block)) {
    Block block = {};
    quantize_block(source, block);
    std::memcpy(destination, &block, sizeof block);
  }
}

Status check_finite(const float* values, std::int64_t n_columns, std::int64_t row) {
  for (std::int64_t column = 0; column < n_columns; ++column) {
    if (!std::isfinite(values[column])) {
      return {Code::kInvalidArgument, "the value of row " + std::to_string(row) + ", column " + std::to_string(column) +
                                          " is not a finite number"};
    }
  }
  return Status::ok();
}

}  // namespace

Result<std::size_t> quantized_row_bytes(DType dtype, std::int64_t n_columns) {
  if (!is_quantized(dtype)) {
    return Status(Code::kInvalidArgument, std::string(dtype_name(dtype)) + " is not a quantised type");
  }
  const int block = block_info(dtype).values;
  if (n_columns < 1 || n_columns % block != 0) {
    return Status(Code::kInvalidArgument, "rows have " + std::to_string(n_columns) +
                                              " values; expected a multiple of " + std::to_string(block) +
                                              ", the block of " + std::string(dtype_name(dtype)));
  }
  return row_bytes(dtype, n_columns);
}

Status quantize_rows(DType dtype, const float* source, std::int64_t n_rows, std::int64_t n_columns,
                     std::byte* destination) {
  SPEECH_ASSIGN_OR_RETURN(const std::size_t bytes, quantized_row_bytes(dtype, n_columns));
  const std::int64_t n_blocks = n_columns / block_info(dtype).values;
  for (std::int64_t row = 0; row < n_rows; ++row, source += n_columns, destination += bytes) {
    SPEECH_RETURN_IF_ERROR(check_finite(source, n_columns, row));
    switch (dtype) {
      case DType::kQ4_0: quantize_values<BlockQ4_0>(source, n_blocks, destination); break;
      case DType::kQ4_1: quantize_values<BlockQ4_1>(source, n_blocks, destination); break;
      case DType::kQ5_0: quantize_values<BlockQ5_0>(source, n_blocks, destination); break;
      case DType::kQ5_1: quantize_values<BlockQ5_1>(source, n_blocks, destination); break;
      case DType::kQ8_0: quantize_values<BlockQ8_0>(source, n_blocks, destination); break;
      case DType::kQ2_K: quantize_values<BlockQ2_K>(source, n_blocks, destination); break;
      case DType::kQ3_K: quantize_values<BlockQ3_K>(source, n_blocks, destination); break;
      case DType::kQ4_K: quantize_values<BlockQ4_K>(source, n_blocks, destination); break;
      case DType::kQ5_K: quantize_values<BlockQ5_K>(source, n_blocks, destination); break;
      case DType::kQ6_K: quantize_values<BlockQ6_K>(source, n_blocks, destination); break;
      case DType::kF32:
      case DType::kF16:
      case DType::kI32: break;  // refused above
    }
  }
  return Status::ok();
}

}  // namespace speech
