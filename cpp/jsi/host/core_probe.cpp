// Implements core_probe.h.
#include "core_probe.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "whisper_ext.h"

namespace speech::js::host {
namespace {

std::mutex mutex;
std::condition_variable changed;
int hold_at = 0;
int n_inside = 0;
int most_inside = 0;
int n_asked_last = 0;
int n_asked_after_stop = 0;

/// A call of the core, from its first question on.
class Inside {
 public:
  Inside(ggml_abort_callback ask, void* user_data) : ask_(ask), user_data_(user_data) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    const std::lock_guard lock(mutex);
    if (n_asked_ > 0) --n_inside;
  }

  static bool ask(void* self) { return static_cast<Inside*>(self)->answer(); }

 private:
  bool answer() {
    {
      std::unique_lock lock(mutex);
      if (++n_asked_ == 1) most_inside = std::max(most_inside, ++n_inside);
      n_asked_last = n_asked_;
      if (stopped_) ++n_asked_after_stop;
      changed.wait(lock, [this] { return hold_at == 0 || n_asked_ < hold_at; });
    }
    const bool stops = ask_(user_data_);
    const std::lock_guard lock(mutex);
    stopped_ = stopped_ || stops;
    return stops;
  }

  ggml_abort_callback ask_;
  void* user_data_;
  int n_asked_ = 0;
  bool stopped_ = false;
};

/// The callbacks that are set on states and voice activity models.
std::map<void*, std::unique_ptr<Inside>> set_on;

/// Keeps a callback while it is set. Gives what the core gets instead: null for null.
Inside* keep(void* target, ggml_abort_callback ask, void* user_data) {
  std::unique_ptr<Inside> before;
  auto now = ask == nullptr ? nullptr : std::make_unique<Inside>(ask, user_data);
  const std::lock_guard lock(mutex);
  before = std::exchange(set_on[target], std::move(now));
  return set_on[target].get();
}

/// A call of a transcription with the probe in its parameters.
template <typename Call>
int transcribing(whisper_full_params params, const Call& call) {
  Inside inside(params.abort_callback, params.abort_callback_user_data);
  params.abort_callback = &Inside::ask;
  params.abort_callback_user_data = &inside;
  return call(params);
}

}  // namespace

void hold_core(int nth_question) {
  const std::lock_guard lock(mutex);
  hold_at = nth_question;
  most_inside = n_inside;
  n_asked_after_stop = 0;
  changed.notify_all();
}

std::string probed() {
  const std::lock_guard lock(mutex);
  return "{\"inside\":" + std::to_string(n_inside) + ",\"mostInside\":" + std::to_string(most_inside) +
         ",\"asked\":" + std::to_string(n_asked_last) + ",\"askedAfterStop\":" + std::to_string(n_asked_after_stop) +
         "}";
}

}  // namespace speech::js::host

// NOLINTBEGIN(readability-identifier-naming,bugprone-reserved-identifier): the names are the linker's.

extern "C" {

int __real_whisper_ext_full(whisper_context* context, whisper_state* state, whisper_full_params params,
                            const whisper_ext_options* options, const float* samples, int n_samples);
int __real_whisper_ext_full_audio(whisper_context* context, whisper_state* state, whisper_full_params params,
                                  const whisper_ext_options* options, const whisper_ext_audio* audio);
bool __real_whisper_ext_set_abort(whisper_context* context, whisper_state* state, ggml_abort_callback ask,
                                  void* user_data);
bool __real_whisper_ext_vad_set_abort(whisper_vad_context* vad, ggml_abort_callback ask, void* user_data);

int __wrap_whisper_ext_full(whisper_context* context, whisper_state* state, whisper_full_params params,
                            const whisper_ext_options* options, const float* samples, int n_samples) {
  return speech::js::host::transcribing(params, [&](const whisper_full_params& probing) {
    return __real_whisper_ext_full(context, state, probing, options, samples, n_samples);
  });
}

int __wrap_whisper_ext_full_audio(whisper_context* context, whisper_state* state, whisper_full_params params,
                                  const whisper_ext_options* options, const whisper_ext_audio* audio) {
  return speech::js::host::transcribing(params, [&](const whisper_full_params& probing) {
    return __real_whisper_ext_full_audio(context, state, probing, options, audio);
  });
}

bool __wrap_whisper_ext_set_abort(whisper_context* context, whisper_state* state, ggml_abort_callback ask,
                                  void* user_data) {
  speech::js::host::Inside* kept = speech::js::host::keep(state, ask, user_data);
  return __real_whisper_ext_set_abort(context, state, kept == nullptr ? nullptr : &speech::js::host::Inside::ask, kept);
}

bool __wrap_whisper_ext_vad_set_abort(whisper_vad_context* vad, ggml_abort_callback ask, void* user_data) {
  speech::js::host::Inside* kept = speech::js::host::keep(vad, ask, user_data);
  return __real_whisper_ext_vad_set_abort(vad, kept == nullptr ? nullptr : &speech::js::host::Inside::ask, kept);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming,bugprone-reserved-identifier)
