// Options of a transcription as whisper.h takes them, from the generated Python dataclass.
#pragma once

#include <pybind11/pybind11.h>

#include "whisper.h"

namespace speech::python {

/// All plain fields of the options as a dict, nested ones with a dot in their name; for tests, which hold each option
/// against the field that it must reach. Callbacks and their data are left out.
pybind11::dict fields_of(const whisper_full_params& params);

/// Adds params_as_dict to the module.
void bind_options(pybind11::module_& module);

}  // namespace speech::python
