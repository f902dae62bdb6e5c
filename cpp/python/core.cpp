// The module wspkit.core._core: the C API for Python, in raw form; wspkit.core gives it types, units and documentation.
// Sees only whisper.h and whisper_ext.h of the core.
#include <pybind11/pybind11.h>

#include "core_audio.h"
#include "core_calls.h"
#include "core_context.h"
#include "core_error.h"
#include "core_log.h"
#include "core_options.h"
#include "core_quantize.h"
#include "core_state.h"
#include "core_vad.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The speech core in raw form; use wspkit.core.";
  speech::python::register_errors();
  speech::python::install_log();
  speech::python::bind_calls(module);
  speech::python::bind_options(module);
  speech::python::bind_audio(module);
  speech::python::bind_context(module);
  speech::python::bind_quantize(module);
  speech::python::bind_state(module);
  speech::python::bind_vad(module);
}
