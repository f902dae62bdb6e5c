// A loaded model as Python holds it. Sees whisper.h only; transcription is the business of core_state.h.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "whisper.h"

namespace speech::python {

namespace py = pybind11;

/// What is to compute, as text: names of whisper_ext_backend in lower case, paths as bytes.
struct Choice {
  std::string backend = "auto";
  std::string encoder_path;
  std::string cache_path;
};

/// A model without a state of its own. Weights are read-only, so any number of threads may use it; the model is freed
/// when the last of this object and its states goes.
class Context {
 public:
  /// Loads from a path as bytes, from any contiguous buffer, from an object with read(n). dtw: alignment heads for
  /// token times: None, a model's name, the number of last layers, or pairs of layer and head. Throw Failure as the C
  /// API says; what read() raises comes through as it is.
  static std::unique_ptr<Context> from_path(const std::string& path, const py::object& dtw, const Choice& choice);
  static std::unique_ptr<Context> from_buffer(const py::buffer& data, const py::object& dtw, const Choice& choice);
  static std::unique_ptr<Context> from_file(const py::object& file, const py::object& dtw, const Choice& choice);

  /// The model; throws an INVALID_ARGUMENT Failure after close().
  const std::shared_ptr<whisper_context>& model() const;

  /// Gives up this object's share of the model; states keep theirs.
  void close() { model_.reset(); }
  bool is_closed() const { return model_ == nullptr; }

 private:
  explicit Context(std::shared_ptr<whisper_context> model) : model_(std::move(model)) {}

  std::shared_ptr<whisper_context> model_;
};

/// Adds Context, the language functions and the facts about the build to the module.
void bind_context(py::module_& module);

}  // namespace speech::python
