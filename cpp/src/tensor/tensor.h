// A view of rows of numbers in somebody's buffer: type, shape, place. Never owns, never touches the memory.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tensor/dtype.h"

namespace speech {

class Buffer;  // backend/backend.h

/// Up to three dimensions, outermost first: (T, D) is T rows of D values. Missing leading dimensions are 1.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims) : rank_(static_cast<int>(dims.size())) {
    assert(dims.size() <= dims_.size());
    std::size_t i = 0;
    for (const std::int64_t dim : dims) {
      dims_[i++] = dim;
    }
  }

  int rank() const { return rank_; }
  std::int64_t operator[](int i) const { return dims_[static_cast<std::size_t>(i)]; }
  std::int64_t elements() const { return dims_[0] * dims_[1] * dims_[2]; }
  /// Values of the innermost dimension.
  std::int64_t columns() const { return rank_ == 0 ? 1 : dims_[static_cast<std::size_t>(rank_ - 1)]; }
  /// All other dimensions multiplied.
  std::int64_t rows() const { return columns() == 0 ? 0 : elements() / columns(); }
  bool operator==(const Shape& other) const = default;
  /// "(1500, 512)"
  std::string text() const;

 private:
  std::array<std::int64_t, 3> dims_ = {1, 1, 1};
  int rank_ = 0;
};

/// A contiguous, row-major stretch of a Buffer. Quantised rows are whole blocks of their innermost dimension.
struct Tensor {
  Buffer* buffer = nullptr;
  std::size_t offset_bytes = 0;
  DType dtype = DType::kF32;
  Shape shape;

  explicit operator bool() const { return buffer != nullptr; }
  std::size_t bytes() const { return row_bytes(dtype, shape.elements()); }
  std::int64_t rows() const { return shape.rows(); }
  std::int64_t columns() const { return shape.columns(); }

  /// Rows [begin, begin + count) of a tensor seen as (rows, columns).
  Tensor row_range(std::int64_t begin, std::int64_t count) const {
    assert(begin >= 0 && count >= 0 && begin + count <= rows());
    return {buffer, offset_bytes + row_bytes(dtype, begin * columns()), dtype, Shape{count, columns()}};
  }
};

}  // namespace speech
