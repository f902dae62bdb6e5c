// A loaded model and what is done with it: the core's calls in terms of plain values. It knows no JavaScript and no
// queue; one call at a time, which its queue sees to.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "generated/values.h"
#include "whisper_ext.h"

namespace speech::js {

/// What a running transcription tells; called on any thread, one call at a time.
using EventSink = std::function<void(TranscribeEvent)>;

/// A loaded model with one state. Every function but tokenize() and close() is for one thread at a time. All throw
/// Refusal.
class Session {
 public:
  /// Loads. source has one of its fields.
  Session(const Source& source, const ContextOptions& options);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const ModelInfo& info() const { return info_; }

  /// cancelled: looked at between operations of the core. sink may be empty. queued_ms goes into the result.
  Transcription transcribe(const Audio& audio, const TranscribeCall& call, const EventSink& sink,
                           const std::atomic<bool>& cancelled, double queued_ms);
  LanguageDetection detect_language(const Audio& audio, const LanguageCall& call, const std::atomic<bool>& cancelled);
  BenchResult bench(const BenchCall& call, const std::atomic<bool>& cancelled);

  /// From any thread, at any time.
  std::vector<int> tokenize(const std::string& text) const;

  /// Frees state and model; a tokenize() that runs on another thread ends first.
  void close();

 private:
  struct FreeState {
    void operator()(whisper_state* state) const { whisper_free_state(state); }
  };

  std::shared_ptr<whisper_context> model() const;

  mutable std::mutex mutex_;
  std::shared_ptr<whisper_context> model_;
  std::unique_ptr<whisper_state, FreeState> state_;
  ModelInfo info_;
};

/// A loaded voice activity model. For one thread at a time; throws Refusal.
class VadSession {
 public:
  explicit VadSession(const Source& source);

  SpeechDetection detect(const Audio& audio, const VadCall& call, const std::atomic<bool>& cancelled);

  void close() { vad_.reset(); }

 private:
  struct FreeVad {
    void operator()(whisper_vad_context* vad) const { whisper_vad_free(vad); }
  };

  std::unique_ptr<whisper_vad_context, FreeVad> vad_;
};

/// What loading the model in a file would take. Throws Refusal.
MemoryEstimate estimate_memory(const std::string& path);

/// What this build is and can do.
SystemInfo system_info();

/// All languages, in the order of their ids.
std::vector<Language> languages();

/// n_threads, or where it is 0 the smaller of 4 and the machine's hardware threads.
int threads_or_default(int n_threads);

}  // namespace speech::js
