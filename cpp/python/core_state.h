// One transcription at a time: caches, buffers and results. Sees the two public headers and the module's Context.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>

#include "core_audio.h"
#include "core_calls.h"
#include "core_context.h"
#include "whisper.h"

namespace speech::python {

/// Audio as the module takes it: (n_samples,) float32, C-contiguous, 16 kHz mono. Anything else is refused, never
/// converted: the rules of conversion are written once, in Python.
using Samples = py::array_t<float, py::array::c_style>;

/// Python functions that a transcription calls; each may be None. What they raise stops the work and comes through.
struct Listeners {
  py::object on_progress;    ///< (percent)
  py::object on_segment;     ///< (segment), in the raw form of State::transcribe
  py::object on_window;      ///< (), before each window; False ends the transcription with what there is
  py::object filter_logits;  ///< (ids of the tokens so far, logits (V)), which it may change
};

/// A state of a model. It keeps the model alive. One call at a time; a second one fails as busy.
class State {
 public:
  /// Makes caches and buffers; throws OUT_OF_MEMORY and what else the C API says.
  explicit State(const Context& context);

  /// Transcribes. Returns a dict: "n_threads", statistics "before" and "after", "cancelled", "language" (code or None)
  /// and its "language_probability", "speech" as a list of (t0, t1) if VAD was asked for, and "segments", a list of
  /// tuples (t0, t1, text, no_speech_probability, tokens, words, speaker_turn_next): times in 10 ms units, text as
  /// bytes, each token a tuple (id, bytes, p, plog, tid, pt, ptsum, t0, t1, t_dtw) with -1 for times that were not
  /// asked for. When it was cancelled the segments are those finished before. Samples must not change meanwhile.
  py::dict transcribe(const Samples& samples, const py::object& options, const Listeners& listeners,
                      const std::shared_ptr<CancellationToken>& cancel);

  /// The same for a recording that stays in its file.
  py::dict transcribe_file(const AudioFile& file, const py::object& options, const Listeners& listeners,
                           const std::shared_ptr<CancellationToken>& cancel);

  /// Probability of each language at offset_ms, in the order of their ids.
  py::list detect_language(const Samples& samples, int offset_ms, int n_threads);

  /// Frees the state now; throws a BUSY Failure while a call runs.
  void close();
  bool is_closed() const { return state_ == nullptr; }

 private:
  struct FreeState {
    void operator()(whisper_state* state) const { whisper_free_state(state); }
  };

  whisper_state* open_state() const;
  /// full(state, params, more): the function of the C interface that transcribes.
  template <typename Full>
  py::dict run(const py::object& options, const Listeners& listeners, const std::shared_ptr<CancellationToken>& cancel,
               Full full);

  // Order matters: the state is freed before its share of the model.
  std::shared_ptr<whisper_context> model_;
  std::unique_ptr<whisper_state, FreeState> state_;
  mutable BusyFlag busy_{false};
};

/// Adds State to the module.
void bind_state(py::module_& module);

}  // namespace speech::python
