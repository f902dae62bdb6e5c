// Parts, their threads, and the merging of what they found.
#include "session/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <string>
#include <vector>

#include "base/guard.h"
#include "base/threads.h"
#include "session/language.h"
#include "session/piece.h"
#include "session/steps.h"
#include "text/languages.h"

namespace speech {
namespace {

constexpr std::size_t kLeastPartSamples = kSampleRate;

// The caller's callbacks, as all parts may use them: one at a time, and an end of one part ends the others.
class SharedCallbacks {
 public:
  SharedCallbacks(const Callbacks& callbacks, std::size_t n_parts) : callbacks_(callbacks), percents_(n_parts, 0) {}

  Callbacks of_part(std::size_t part) {
    Callbacks shared;
    shared.progress = [this, part](int percent) { report_progress(part, percent); };
    shared.encoder_begin = [this] { return may_encode(); };
    if (part == 0 && callbacks_.new_segments) {
      shared.new_segments = [this](int n_new) {
        const std::lock_guard lock(mutex_);
        callbacks_.new_segments(n_new);
      };
    }
    if (callbacks_.filter_logits) {
      shared.filter_logits = [this](std::span<const TokenData> tokens, std::span<float> logits) {
        const std::lock_guard lock(mutex_);
        callbacks_.filter_logits(tokens, logits);
      };
    }
    shared.gates = callbacks_.gates;
    shared.results_mutex = part == 0 ? &mutex_ : nullptr;  // the caller sees the first part's state
    shared.abort = [](void* self) { return static_cast<SharedCallbacks*>(self)->should_abort(); };
    shared.abort_user_data = this;
    return shared;
  }

  /// The parts that still run are cancelled.
  void stop() { stopped_ = true; }

  /// Of a part that has ended, on the thread that did it.
  void end_part() {
    const std::lock_guard lock(ended_mutex_);
    ++n_ended_;
    part_ended_.notify_all();
  }

  /// Waits on the calling thread until n parts have ended. It goes on asking the abort callback: some look for signals
  /// there, which only this thread gets.
  void wait_for(std::size_t n) {
    constexpr std::chrono::milliseconds kQuestionInterval{50};
    std::unique_lock lock(ended_mutex_);
    while (!part_ended_.wait_for(lock, kQuestionInterval, [&] { return n_ended_ >= n; })) {
      lock.unlock();
      stopped_ = stopped_ || should_abort();
      lock.lock();
    }
  }

 private:
  void report_progress(std::size_t part, int percent) {
    const std::lock_guard lock(mutex_);
    percents_[part] = percent;
    int sum = 0;
    for (const int value : percents_) {
      sum += value;
    }
    const int all = sum / static_cast<int>(percents_.size());
    if (all > reported_ && callbacks_.progress) {
      reported_ = all;
      callbacks_.progress(all);
    }
  }

  bool may_encode() {
    const std::lock_guard lock(mutex_);
    ended_ = ended_ || (callbacks_.encoder_begin && !callbacks_.encoder_begin());
    return !ended_;
  }

  bool should_abort() {
    if (stopped_) {
      return true;
    }
    const std::lock_guard lock(mutex_);
    return callbacks_.abort != nullptr && callbacks_.abort(callbacks_.abort_user_data);
  }

  const Callbacks& callbacks_;
  Mutex mutex_;
  std::vector<int> percents_;
  int reported_ = -1;
  bool ended_ = false;
  std::atomic<bool> stopped_ = false;
  Mutex ended_mutex_;
  ConditionVariable part_ended_;
  std::size_t n_ended_ = 0;  // parts
};

struct Part {
  Piece piece;
  Options options;
  State* state = nullptr;
  std::unique_ptr<State> own_state;  // of all but the first
  Stage stage = Stage::kOptions;
  Status status = Status::ok();
};

// The thread counts as one of the call's for its life.
class JoinedGates {
 public:
  explicit JoinedGates(const std::vector<std::shared_ptr<CallGate>>& gates) : gates_(gates) {
    for (const std::shared_ptr<CallGate>& gate : gates_) {
      gate->join();
    }
  }
  JoinedGates(const JoinedGates&) = delete;
  JoinedGates& operator=(const JoinedGates&) = delete;
  ~JoinedGates() {
    for (const std::shared_ptr<CallGate>& gate : gates_) {
      gate->leave();
    }
  }

 private:
  const std::vector<std::shared_ptr<CallGate>>& gates_;
};

void run_part(const Context& context, Part& part, SharedCallbacks& callbacks) {
  const auto keep = [&part](const Status& status) { part.status = status; };
  guarded(
      false,
      [&] {
        keep(transcribe_piece(context, *part.state, part.options, part.piece, part.stage));
        return true;
      },
      keep);
  if (!part.status) {
    callbacks.stop();
  }
}

// All at the same time; on a machine that gives no more threads, one after the other.
void run_parts(const Context& context, std::vector<Part>& parts, SharedCallbacks& callbacks) {
  std::vector<Thread> threads;
  threads.reserve(parts.size());
  std::size_t first_here = parts.size();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    try {
      threads.emplace_back([&, i] {
        const JoinedGates gates(parts[i].options.callbacks.gates);
        run_part(context, parts[i], callbacks);
        callbacks.end_part();
      });
    } catch (const std::exception&) {
      first_here = i;
      break;
    }
  }
  run_part(context, parts.front(), callbacks);
  for (std::size_t i = first_here; i < parts.size(); ++i) {
    run_part(context, parts[i], callbacks);
  }
  callbacks.wait_for(threads.size());
  for (Thread& thread : threads) {
    thread.join();
  }
}

// The language that the first part's beginning is in, for all.
Status detect_for_all(const Context& context, State& state, Options& options, const Piece& piece) {
  SPEECH_ASSIGN_OR_RETURN(const int n_threads, resolve_threads(options.n_threads));
  const AbortScope abort_scope(state, options.callbacks);
  const RecordingScope recording_scope(state, piece.samples, options.callbacks);
  SPEECH_RETURN_IF_ERROR(compute_features(context, state, piece.samples, n_threads, options.callbacks));
  SPEECH_RETURN_IF_ERROR(choose_language(context, state, options, 0, n_threads));
  options.language = std::string(language_code(state.language));
  return Status::ok();
}

}  // namespace

Status transcribe_parallel(const Context& context, State& state, const Options& options, const Samples& samples,
                           int n_parts, Stage& stage) {
  Piece whole = excerpt(options, samples);
  const std::size_t most = std::max<std::size_t>(1, whole.samples.size() / kLeastPartSamples);
  if (n_parts <= 1 || most == 1 || options.detect_language_only) {
    return transcribe(context, state, options, samples, stage);
  }
  state.clear_results();
  stage = Stage::kOptions;
  SPEECH_RETURN_IF_ERROR(validate(options, context.vocabulary()));
  Options rest = options;
  rest.offset_ms = rest.duration_ms = 0;
  if (options.vad) {
    SPEECH_ASSIGN_OR_RETURN(whole, speech_of(state, options, whole, stage));
  }
  const std::size_t n_samples = whole.samples.size();
  const std::size_t n = std::clamp<std::size_t>(n_samples / kLeastPartSamples, 1, static_cast<std::size_t>(n_parts));
  const std::size_t n_frames = n_samples / kHopLength / n * kHopLength;  // samples of a part, whole frames
  stage = Stage::kLanguage;
  const bool detects = n > 1 && detects_language(options) && context.vocabulary().is_multilingual();
  if (detects) {
    SPEECH_RETURN_IF_ERROR(detect_for_all(context, state, rest, whole.part(0, n_frames)));
  }
  const float probability = state.language_probability;

  stage = Stage::kOptions;
  SharedCallbacks callbacks(options.callbacks, n);
  std::vector<Part> parts(n);
  for (std::size_t i = 0; i < n; ++i) {
    Part& part = parts[i];
    const std::size_t begin = i * n_frames;
    part.piece = whole.part(begin, i + 1 == n ? n_samples - begin : n_frames);
    part.options = rest;
    part.options.callbacks = callbacks.of_part(i);
    part.state = &state;
    if (i > 0) {
      SPEECH_ASSIGN_OR_RETURN(part.own_state, context.new_state());
      part.state = part.own_state.get();
      part.state->past = state.past;
    }
  }
  run_parts(context, parts, callbacks);

  if (detects) {
    state.language_probability = probability;
  }
  Status status = Status::ok();
  for (const Part& part : parts) {
    // The error that stopped the others, not their being stopped.
    if (!part.status && (status.is_ok() || status.code() == Code::kCancelled)) {
      status = part.status;
      stage = part.stage;
    }
  }
  SPEECH_RETURN_IF_ERROR(status);
  for (std::size_t i = 1; i < n; ++i) {
    State& from = *parts[i].state;
    state.timings += from.timings;
    for (Segment& segment : from.segments) {
      state.segments.push_back(std::move(segment));
      if (options.callbacks.new_segments) {
        options.callbacks.new_segments(1);
      }
    }
    state.past = std::move(from.past);
  }
  return Status::ok();
}

}  // namespace speech
