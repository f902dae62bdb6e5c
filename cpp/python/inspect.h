// Shared by the parts of the module wspkit._inspect, which opens every layer of the core to tests. Never shipped.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "model/reader.h"
#include "whisper/weights.h"

namespace speech::inspect {

namespace py = pybind11;

/// A NumPy array as C++ reads it: contiguous, converted if it was of another type.
using FloatArray = py::array_t<float, py::array::c_style | py::array::forcecast>;
using IntArray = py::array_t<std::int32_t, py::array::c_style | py::array::forcecast>;
using ByteArray = py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>;

/// Errors reach Python as RuntimeError with the core's text.
inline void require(const Status& status) {
  if (!status.is_ok()) {
    throw std::runtime_error(status.message());
  }
}

template <typename T>
T take(Result<T> result) {
  require(result.status());
  return std::move(result).value();
}

/// ValueError, for what a test passed wrongly.
inline void expect(bool condition, const char* message) {
  if (!condition) {
    throw py::value_error(message);
  }
}

template <typename T>
std::span<const T> span_of(const py::array_t<T, py::array::c_style | py::array::forcecast>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// A new array of that shape with the values.
inline FloatArray array_of(std::span<const float> values, std::initializer_list<py::ssize_t> shape) {
  FloatArray array{std::vector<py::ssize_t>(shape)};
  expect(static_cast<std::size_t>(array.size()) == values.size(), "the values do not fill the shape");
  std::ranges::copy(values, array.mutable_data());
  return array;
}

/// A model file with its weights on one kind of back-end.
struct Model {
  Vocabulary vocabulary;
  MelFilters filters;
  BackendFactory factory;
  std::unique_ptr<Backend> backend;  // of the weights
  std::shared_ptr<const Weights> weights;

  const Hyperparameters& sizes() const { return weights->hyperparameters; }
};

void bind_audio(py::module_& module);
void bind_decode(py::module_& module);
void bind_kernels(py::module_& module);
void bind_model(py::module_& module);
void bind_engine(py::module_& module);

}  // namespace speech::inspect
