// Implements core_quantize.h.
#include "core_quantize.h"

#include <pybind11/numpy.h>

#include <cstdint>
#include <string>

#include "core_calls.h"
#include "core_error.h"
#include "whisper_ext.h"

namespace speech::python {
namespace {

/// (n_rows, bytes of a row) uint8 from (n_rows, n_columns) float32. Works without the GIL.
py::array_t<std::uint8_t> quantize_rows(const py::array_t<float, py::array::c_style>& rows, int number) {
  const NativeCall call;
  if (rows.ndim() != 2) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "rows with " + std::to_string(rows.ndim()) + " dimensions", "two");
  }
  whisper_ext_clear_error();
  const std::int64_t row_bytes = whisper_ext_quantized_row_bytes(number, rows.shape(1));
  if (row_bytes < 0) throw_last_error("quantising");
  py::array_t<std::uint8_t> out({rows.shape(0), static_cast<py::ssize_t>(row_bytes)});
  const float* source = rows.data();
  std::uint8_t* target = out.mutable_data();
  std::int64_t written = 0;
  {
    const py::gil_scoped_release release;
    written = whisper_ext_quantize_rows(number, source, rows.shape(0), rows.shape(1), target,
                                        static_cast<std::size_t>(out.nbytes()));
  }
  if (written < 0) throw_last_error("quantising");
  return out;
}

}  // namespace

void bind_quantize(py::module_& module) {
  module.def("quantize_rows", &quantize_rows, py::arg("rows").noconvert(), py::arg("number"),
             "Rows of float32 as blocks of a quantised type, by its number in model files.");
}

}  // namespace speech::python
