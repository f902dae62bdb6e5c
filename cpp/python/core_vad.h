// A voice activity model as Python holds it. Sees whisper.h only.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "core_calls.h"
#include "core_state.h"
#include "whisper.h"

namespace speech::python {

/// A loaded model with its stream. One call at a time; a second one fails as busy.
class Vad {
 public:
  /// Loads from a path as bytes, from any contiguous buffer. Throw Failure as the C API says.
  static std::unique_ptr<Vad> from_path(const std::string& path);
  static std::unique_ptr<Vad> from_buffer(const py::buffer& data);

  /// One probability per window of 512 samples; goes_on: the stream goes on from the last call.
  py::array_t<float> probabilities(const Samples& samples, bool goes_on);

  /// Stretches of speech as a list of (t0, t1) in 10 ms units, from a fresh stream.
  py::list segments(const Samples& samples, const py::object& options);

  void reset();
  void close();
  bool is_closed() const { return vad_ == nullptr; }

 private:
  struct FreeVad {
    void operator()(whisper_vad_context* vad) const { whisper_vad_free(vad); }
  };

  explicit Vad(whisper_vad_context* vad) : vad_(vad) {}
  whisper_vad_context* open_vad() const;

  std::unique_ptr<whisper_vad_context, FreeVad> vad_;
  BusyFlag busy_{false};
};

/// Adds Vad to the module.
void bind_vad(py::module_& module);

}  // namespace speech::python
