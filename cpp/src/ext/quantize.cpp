// Quantisation of rows in C: checks arguments, calls the tensor layer, turns every failure into the thread's last
// error. Knows no model.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/guard.h"
#include "base/last_error.h"
#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/quantize.h"
#include "whisper_ext.h"

namespace speech {
namespace {

// A model of more values in one tensor does not exist; products of rows and bytes stay far below 2^63.
constexpr std::int64_t kMaxValues = std::int64_t{1} << 40;

Result<DType> quantized_type(int type) {
  const auto dtype = dtype_from_ggml(type);
  if (!dtype || !is_quantized(*dtype)) {
    return Status(Code::kInvalidArgument,
                  "type is " + std::to_string(type) + "; expected a number of whisper_ext_row_type");
  }
  return *dtype;
}

Result<std::int64_t> row_bytes_of(int type, std::int64_t n_columns) {
  SPEECH_ASSIGN_OR_RETURN(const DType dtype, quantized_type(type));
  if (n_columns > kMaxValues) {
    return Status(Code::kInvalidArgument, "n_columns is " + std::to_string(n_columns) + "; expected at most 2^40");
  }
  SPEECH_ASSIGN_OR_RETURN(const std::size_t bytes, quantized_row_bytes(dtype, n_columns));
  return static_cast<std::int64_t>(bytes);
}

Result<std::int64_t> quantize(int type, const float* source, std::int64_t n_rows, std::int64_t n_columns,
                              void* destination, std::size_t capacity) {
  SPEECH_ASSIGN_OR_RETURN(const std::int64_t bytes_of_row, row_bytes_of(type, n_columns));
  if (n_rows < 0 || n_rows > kMaxValues / n_columns) {
    return Status(Code::kInvalidArgument,
                  "n_rows is " + std::to_string(n_rows) + "; expected at least 0, and at most 2^40 values in all");
  }
  if (n_rows == 0) {
    return std::int64_t{0};
  }
  if (source == nullptr || destination == nullptr) {
    return Status(Code::kInvalidArgument, source == nullptr ? "source is null" : "destination is null");
  }
  const std::int64_t bytes = n_rows * bytes_of_row;
  if (static_cast<std::uint64_t>(bytes) > capacity) {
    return Status(Code::kInvalidArgument, "destination has room for " + std::to_string(capacity) +
                                              " bytes; expected at least " + std::to_string(bytes));
  }
  SPEECH_ASSIGN_OR_RETURN(const DType dtype, quantized_type(type));
  SPEECH_RETURN_IF_ERROR(quantize_rows(dtype, source, n_rows, n_columns, static_cast<std::byte*>(destination)));
  return bytes;
}

/// The value of `work`; after an error -1, and the thread's last error says why.
template <typename Work>
std::int64_t checked(Work work) noexcept {
  const auto body = [&]() -> std::int64_t {
    const Result<std::int64_t> result = work();
    set_last_error(result.status());
    return result ? result.value() : -1;
  };
  return guarded(std::int64_t{-1}, body, set_last_error);
}

}  // namespace
}  // namespace speech

int64_t whisper_ext_quantized_row_bytes(int type, int64_t n_columns) {
  return speech::checked([&] { return speech::row_bytes_of(type, n_columns); });
}

int64_t whisper_ext_quantize_rows(int type, const float* source, int64_t n_rows, int64_t n_columns, void* destination,
                                  size_t capacity) {
  return speech::checked([&] { return speech::quantize(type, source, n_rows, n_columns, destination, capacity); });
}
