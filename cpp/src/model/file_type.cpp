// The table of ftype numbers.
#include "model/file_type.h"

#include <array>

namespace speech {
namespace {

struct Entry {
  std::int32_t number;
  FileType type;
};

constexpr std::array kFileTypes = {
    Entry{0, {"f32", DType::kF32}},    Entry{1, {"f16", DType::kF16}},    Entry{2, {"q4_0", DType::kQ4_0}},
    Entry{3, {"q4_1", DType::kQ4_1}},  Entry{7, {"q8_0", DType::kQ8_0}},  Entry{8, {"q5_0", DType::kQ5_0}},
    Entry{9, {"q5_1", DType::kQ5_1}},  Entry{10, {"q2_K", DType::kQ2_K}}, Entry{11, {"q3_K", DType::kQ3_K}},
    Entry{12, {"q4_K", DType::kQ4_K}}, Entry{13, {"q5_K", DType::kQ5_K}}, Entry{14, {"q6_K", DType::kQ6_K}},
    Entry{15, {"iq2_xxs", {}}},        Entry{16, {"iq2_xs", {}}},         Entry{17, {"iq3_xxs", {}}},
    Entry{18, {"iq1_s", {}}},          Entry{19, {"iq4_nl", {}}},         Entry{20, {"iq3_s", {}}},
    Entry{21, {"iq2_s", {}}},          Entry{22, {"iq4_xs", {}}},         Entry{23, {"iq1_m", {}}},
    Entry{24, {"bf16", {}}},
};

}  // namespace

FileType file_type_from_number(std::int32_t ftype) {
  for (const Entry& entry : kFileTypes) {
    if (entry.number == ftype) {
      return entry.type;
    }
  }
  return {};
}

std::optional<std::int32_t> file_type_number(DType matrix_type) {
  for (const Entry& entry : kFileTypes) {
    if (entry.type.matrix_type == matrix_type) {
      return entry.number;
    }
  }
  return {};
}

}  // namespace speech
