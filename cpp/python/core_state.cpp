// Implements core_state.h.
#include "core_state.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core_error.h"
#include "core_log.h"
#include "core_options.h"
#include "whisper_ext.h"

namespace speech::python {
namespace {

// How often a running call looks for signals and hands on log lines. It costs a GIL hand-over each time, up to 5 ms
// when other threads run Python, and a person who presses Ctrl-C does not notice a twentieth of a second.
constexpr std::chrono::milliseconds kPollInterval{50};

/// The segment's words in raw form; none if token times were not asked for. Needs the GIL.
py::list words_of(whisper_context* model, whisper_state* state, int i) {
  struct FreeWords {
    void operator()(whisper_ext_words* words) const { whisper_ext_words_free(words); }
  };
  const std::unique_ptr<whisper_ext_words, FreeWords> words(whisper_ext_words_of_segment(model, state, i));
  py::list result;
  for (int j = 0; j < whisper_ext_words_n(words.get()); ++j) {
    const whisper_ext_word word = whisper_ext_words_get(words.get(), j);
    if (word.t0 >= 0) {
      result.append(py::make_tuple(py::bytes(word.text), word.t0, word.t1, word.p));
    }
  }
  return result;
}

/// The state's segment i in raw form, see State::transcribe. Needs the GIL.
py::tuple segment_of(whisper_context* model, whisper_state* state, int i) {
  const int n_tokens = whisper_full_n_tokens_from_state(state, i);
  py::list tokens;
  for (int j = 0; j < n_tokens; ++j) {
    const whisper_token_data token = whisper_full_get_token_data_from_state(state, i, j);
    const char* text = whisper_full_get_token_text_from_state(model, state, i, j);
    tokens.append(py::make_tuple(token.id, py::bytes(text == nullptr ? "" : text), token.p, token.plog, token.tid,
                                 token.pt, token.ptsum, token.t0, token.t1, token.t_dtw));
  }
  const char* text = whisper_full_get_segment_text_from_state(state, i);
  return py::make_tuple(whisper_full_get_segment_t0_from_state(state, i),
                        whisper_full_get_segment_t1_from_state(state, i), py::bytes(text == nullptr ? "" : text),
                        whisper_full_get_segment_no_speech_prob_from_state(state, i), tokens, words_of(model, state, i),
                        whisper_full_get_segment_speaker_turn_next_from_state(state, i));
}

/// Speech that was found before it was transcribed, as (t0, t1). Needs the GIL.
py::list speech_of(whisper_state* state) {
  py::list speech;
  for (int i = 0; i < whisper_full_n_vad_segments_from_state(state); ++i) {
    speech.append(py::make_tuple(whisper_full_get_vad_segment_t0_from_state(state, i),
                                 whisper_full_get_vad_segment_t1_from_state(state, i)));
  }
  return speech;
}

/// Statistics since the state was made. Needs the GIL.
py::dict stats_of(whisper_context* model, whisper_state* state) {
  const whisper_ext_stats stats = whisper_ext_get_stats_from_state(model, state);
  py::dict result;
  result["load_ms"] = stats.load_ms;
  result["mel_ms"] = stats.mel_ms;
  result["sample_ms"] = stats.sample_ms;
  result["encode_ms"] = stats.encode_ms;
  result["decode_ms"] = stats.decode_ms;
  result["batchd_ms"] = stats.batchd_ms;
  result["prompt_ms"] = stats.prompt_ms;
  result["n_encode"] = stats.n_encode;
  result["n_decode"] = stats.n_decode;
  result["n_batchd"] = stats.n_batchd;
  result["n_prompt"] = stats.n_prompt;
  result["n_sample"] = stats.n_sample;
  result["n_fail_p"] = stats.n_fail_p;
  result["n_fail_h"] = stats.n_fail_h;
  result["weights_bytes"] = stats.weights_bytes;
  result["state_bytes"] = stats.state_bytes;
  return result;
}

/// What the callbacks of one transcription share. They run without the GIL, one at a time, on the calling thread, or in
/// parts on any thread that works for it, as the abort callback always does. The first exception is kept and stops the
/// work.
class Run {
 public:
  Run(const Listeners& listeners, const CancellationToken* cancel) : listeners_(listeners), cancel_(cancel) {
    const py::module_ threading = py::module_::import("threading");
    on_main_thread_ = threading.attr("current_thread")().is(threading.attr("main_thread")());
  }

  void attach(whisper_full_params& params) {
    params.abort_callback = [](void* self) { return static_cast<Run*>(self)->should_stop(); };
    params.abort_callback_user_data = this;
    params.encoder_begin_callback = [](whisper_context*, whisper_state*, void* self) {
      return static_cast<Run*>(self)->begins_window();
    };
    params.encoder_begin_callback_user_data = this;
    if (!listeners_.on_progress.is_none()) {
      params.progress_callback = [](whisper_context*, whisper_state*, int percent, void* self) {
        static_cast<Run*>(self)->progress(percent);
      };
      params.progress_callback_user_data = this;
    }
    if (!listeners_.on_segment.is_none()) {
      params.new_segment_callback = [](whisper_context* model, whisper_state* state, int n_new, void* self) {
        static_cast<Run*>(self)->new_segments(model, state, n_new);
      };
      params.new_segment_callback_user_data = this;
    }
    if (!listeners_.filter_logits.is_none()) {
      params.logits_filter_callback = [](whisper_context* model, whisper_state*, const whisper_token_data* tokens,
                                         int n_tokens, float* logits, void* self) {
        static_cast<Run*>(self)->filter(model, tokens, n_tokens, logits);
      };
      params.logits_filter_callback_user_data = this;
    }
  }

  bool was_stopped() const { return stop_; }

  /// Raises what a callback or a signal handler raised.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  bool should_stop() noexcept {
    if (stop_) return true;
    if (is_shutting_down() || (cancel_ != nullptr && cancel_->is_cancelled())) {
      stop_ = true;
      return true;
    }
    if (std::this_thread::get_id() == caller_) poll();
    return stop_;
  }

  // Signals are handled on Python's main thread only; elsewhere there may be nothing to fetch the GIL for.
  void poll() noexcept {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_poll_ || !(on_main_thread_ || log_is_waiting())) return;
    next_poll_ = now + kPollInterval;
    with_python([] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      drain_log();
    });
  }

  void progress(int percent) noexcept {
    if (stop_) return;
    with_python([&] { listeners_.on_progress(percent); });
  }

  void new_segments(whisper_context* model, whisper_state* state, int n_new) noexcept {
    if (stop_) return;
    with_python([&] {
      const int n_segments = whisper_full_n_segments_from_state(state);
      for (int i = n_segments - n_new; i < n_segments; ++i) listeners_.on_segment(segment_of(model, state, i));
    });
  }

  bool begins_window() noexcept {
    if (should_stop()) return false;
    bool goes_on = true;
    if (!listeners_.on_window.is_none()) {
      with_python([&] { goes_on = listeners_.on_window().ptr() != Py_False; });
    }
    return goes_on && !stop_;
  }

  // The array is a copy: what Python keeps of it must not outlive the call.
  void filter(whisper_context* model, const whisper_token_data* tokens, int n_tokens, float* logits) noexcept {
    if (stop_) return;
    with_python([&] {
      py::list ids;
      for (int i = 0; i < n_tokens; ++i) ids.append(tokens[i].id);
      const auto n_vocab = static_cast<py::ssize_t>(whisper_model_n_vocab(model));
      const py::array_t<float> array(n_vocab, logits);
      listeners_.filter_logits(ids, array);
      std::copy_n(array.data(), n_vocab, logits);
    });
  }

  template <typename Work>
  void with_python(const Work& work) noexcept {
    if (is_shutting_down()) return;
    try {
      const py::gil_scoped_acquire acquire;
      work();
    } catch (...) {
      if (!error_) error_ = std::current_exception();
      stop_ = true;
    }
  }

  const Listeners& listeners_;
  const CancellationToken* cancel_;
  const std::thread::id caller_ = std::this_thread::get_id();
  bool on_main_thread_ = false;
  std::chrono::steady_clock::time_point next_poll_{};
  std::atomic<bool> stop_{false};
  std::exception_ptr error_;
};

int checked_length(const Samples& samples) {
  if (samples.ndim() != 1) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "audio with " + std::to_string(samples.ndim()) + " dimensions",
                  "one: (n_samples,) float32, 16 kHz mono");
  }
  if (samples.size() > std::numeric_limits<int>::max()) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, std::to_string(samples.size()) + " samples of audio",
                  "at most 2147483647, which is 37 hours", "Cut the recording.");
  }
  return static_cast<int>(samples.size());
}

}  // namespace

State::State(const Context& context) : model_(context.model()) {
  const NativeCall call;
  whisper_ext_clear_error();
  {
    const py::gil_scoped_release release;
    state_.reset(whisper_init_state(model_.get()));
  }
  if (!state_) throw_last_error("making a state");
}

whisper_state* State::open_state() const {
  if (!state_) throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "the state was closed", "an open one", "Make a new state.");
  return state_.get();
}

template <typename Full>
py::dict State::run(const py::object& options, const Listeners& listeners,
                    const std::shared_ptr<CancellationToken>& cancel, Full full) {
  const Lease lease(busy_, "the state");
  const NativeCall call;
  whisper_state* state = open_state();

  CallOptions asked(options);
  whisper_full_params& params = asked.params;
  // Lines that the core would print by itself have no place in a library.
  params.print_progress = false;
  params.print_realtime = false;
  Run run(listeners, cancel.get());
  run.attach(params);

  py::dict result;
  result["n_threads"] = params.n_threads;
  result["before"] = stats_of(model_.get(), state);
  whisper_ext_clear_error();
  int status = 0;
  {
    const py::gil_scoped_release release;
    status = full(state, params, asked.more);
  }
  run.rethrow();
  if (status != 0 && !run.was_stopped()) throw_last_error("transcribing");

  py::list segments;
  const int n_segments = whisper_full_n_segments_from_state(state);
  for (int i = 0; i < n_segments; ++i) segments.append(segment_of(model_.get(), state, i));
  const char* language = whisper_lang_str(whisper_full_lang_id_from_state(state));
  result["cancelled"] = run.was_stopped();
  result["language"] = language == nullptr ? py::object(py::none()) : text_of(language);
  result["language_probability"] = whisper_ext_full_lang_probability_from_state(state);
  result["segments"] = segments;
  result["speech"] = speech_of(state);
  result["after"] = stats_of(model_.get(), state);
  return result;
}

py::dict State::transcribe(const Samples& samples, const py::object& options, const Listeners& listeners,
                           const std::shared_ptr<CancellationToken>& cancel) {
  const int n_samples = checked_length(samples);
  const float* data = samples.data();
  return run(options, listeners, cancel,
             [&](whisper_state* state, const whisper_full_params& params, const whisper_ext_options& more) {
               return whisper_ext_full(model_.get(), state, params, &more, data, n_samples);
             });
}

py::dict State::transcribe_file(const AudioFile& file, const py::object& options, const Listeners& listeners,
                                const std::shared_ptr<CancellationToken>& cancel) {
  return run(options, listeners, cancel,
             [&](whisper_state* state, const whisper_full_params& params, const whisper_ext_options& more) {
               return whisper_ext_full_audio(model_.get(), state, params, &more, file.get());
             });
}

py::list State::detect_language(const Samples& samples, int offset_ms, int n_threads) {
  const Lease lease(busy_, "the state");
  const NativeCall call;
  whisper_state* state = open_state();
  const int n_samples = checked_length(samples);
  const float* data = samples.data();
  std::vector<float> probabilities(static_cast<std::size_t>(whisper_lang_max_id()) + 1);
  whisper_ext_clear_error();
  bool ok = false;
  {
    const py::gil_scoped_release release;
    ok = whisper_pcm_to_mel_with_state(model_.get(), state, data, n_samples, n_threads) == 0 &&
         whisper_lang_auto_detect_with_state(model_.get(), state, offset_ms, n_threads, probabilities.data()) >= 0;
  }
  if (!ok) throw_last_error("detecting the language");
  py::list result;
  for (const float probability : probabilities) result.append(probability);
  return result;
}

void State::close() {
  const Lease lease(busy_, "the state");
  state_.reset();
  model_.reset();
}

void bind_state(py::module_& module) {
  py::class_<State>(module, "State", "Caches, buffers and results of one transcription at a time.")
      .def(py::init<const Context&>(), py::arg("context"))
      .def(
          "transcribe",
          [](State& state, const Samples& samples, const py::object& options, const py::object& on_progress,
             const py::object& on_segment, const py::object& on_window, const py::object& filter_logits,
             const std::shared_ptr<CancellationToken>& cancel) {
            return state.transcribe(samples, options, {on_progress, on_segment, on_window, filter_logits}, cancel);
          },
          py::arg("samples").noconvert(), py::arg("options"), py::arg("on_progress") = py::none(),
          py::arg("on_segment") = py::none(), py::arg("on_window") = py::none(), py::arg("filter_logits") = py::none(),
          py::arg("cancel") = py::none())
      .def(
          "transcribe_file",
          [](State& state, const AudioFile& file, const py::object& options, const py::object& on_progress,
             const py::object& on_segment, const py::object& on_window, const py::object& filter_logits,
             const std::shared_ptr<CancellationToken>& cancel) {
            return state.transcribe_file(file, options, {on_progress, on_segment, on_window, filter_logits}, cancel);
          },
          py::arg("file"), py::arg("options"), py::arg("on_progress") = py::none(), py::arg("on_segment") = py::none(),
          py::arg("on_window") = py::none(), py::arg("filter_logits") = py::none(), py::arg("cancel") = py::none())
      .def("detect_language", &State::detect_language, py::arg("samples").noconvert(), py::arg("offset_ms") = 0,
           py::arg("n_threads") = 1)
      .def("close", &State::close)
      .def_property_readonly("closed", &State::is_closed);
}

}  // namespace speech::python
