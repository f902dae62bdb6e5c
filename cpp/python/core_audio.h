// Audio intake of whisper_ext.h for Python.
#pragma once

#include <pybind11/pybind11.h>

namespace speech::python {

/// Adds audio_from_file, audio_from_memory and resample to the module.
void bind_audio(pybind11::module_& module);

}  // namespace speech::python
