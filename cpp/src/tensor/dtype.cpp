// Names and file numbers of the element types.
#include "tensor/dtype.h"

#include <array>

namespace speech {
namespace {

struct GgmlType {
  std::int32_t id;
  std::string_view name;
  std::optional<DType> dtype;  // empty: recognised, not computed with
};

constexpr std::array kGgmlTypes = {
    GgmlType{0, "f32", DType::kF32},    GgmlType{1, "f16", DType::kF16},
    GgmlType{2, "q4_0", DType::kQ4_0},  GgmlType{3, "q4_1", DType::kQ4_1},
    GgmlType{6, "q5_0", DType::kQ5_0},  GgmlType{7, "q5_1", DType::kQ5_1},
    GgmlType{8, "q8_0", DType::kQ8_0},  GgmlType{9, "q8_1", {}},
    GgmlType{10, "q2_K", DType::kQ2_K}, GgmlType{11, "q3_K", DType::kQ3_K},
    GgmlType{12, "q4_K", DType::kQ4_K}, GgmlType{13, "q5_K", DType::kQ5_K},
    GgmlType{14, "q6_K", DType::kQ6_K}, GgmlType{15, "q8_K", {}},
    GgmlType{30, "bf16", {}},
};

}  // namespace

std::string_view dtype_name(DType dtype) {
  if (dtype == DType::kI32) {
    return "i32";
  }
  for (const GgmlType& type : kGgmlTypes) {
    if (type.dtype == dtype) {
      return type.name;
    }
  }
  return "?";
}

std::optional<DType> dtype_from_ggml(std::int32_t id) {
  for (const GgmlType& type : kGgmlTypes) {
    if (type.id == id) {
      return type.dtype;
    }
  }
  return {};
}

std::string_view ggml_type_name(std::int32_t id) {
  for (const GgmlType& type : kGgmlTypes) {
    if (type.id == id) {
      return type.name;
    }
  }
  return {};
}

}  // namespace speech
