// The numbers by which a model file names the type of its large matrices (ggml's ftype). Knows numbers and names only.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tensor/dtype.h"

namespace speech {

/// What an ftype number, without the quantisation version, stands for.
struct FileType {
  std::string_view name;             ///< "q5_0"; empty if the number is unknown
  std::optional<DType> matrix_type;  ///< empty if the core does not compute with it
};

FileType file_type_from_number(std::int32_t ftype);

/// The layout version of quantised blocks that the core reads; ggml has written no other since May 2023.
inline constexpr std::int32_t kQuantizationVersion = 2;

/// Files hold ftype + kQuantizationFactor * version.
inline constexpr std::int32_t kQuantizationFactor = 1000;

/// The ftype number of files whose matrices have this type; empty for kI32.
std::optional<std::int32_t> file_type_number(DType matrix_type);

}  // namespace speech
