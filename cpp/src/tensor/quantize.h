// Rows of floats as blocks of the quantised types. Knows numbers and blocks, no file and no model.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "tensor/dtype.h"

namespace speech {

/// Bytes of a row of n_columns values in a quantised type. Fails with invalid_argument if the type is not quantised, or
/// if its block does not divide n_columns, which must be positive.
Result<std::size_t> quantized_row_bytes(DType dtype, std::int64_t n_columns);

/// destination (n_rows, quantized_row_bytes) <- source (n_rows, n_columns), each block by itself, so that rows may be
/// given in parts and from several threads. The bytes are those that ggml's quantisers give without a matrix of
/// importances, on every machine. Fails as quantized_row_bytes() does, and with invalid_argument if a value is not
/// finite; destination is then written in part.
Status quantize_rows(DType dtype, const float* source, std::int64_t n_rows, std::int64_t n_columns,
                     std::byte* destination);

}  // namespace speech
