// Binds quantisation of rows.
#pragma once

#include <pybind11/pybind11.h>

namespace speech::python {

/// Adds quantize_rows.
void bind_quantize(pybind11::module_& module);

}  // namespace speech::python
