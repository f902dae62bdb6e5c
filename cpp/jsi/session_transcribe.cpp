// Implements Session::transcribe: options into the core's structs, its callbacks into events, its results into values.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "audio_input.h"
#include "errors.h"
#include "generated/params.h"
#include "session.h"

namespace speech::js {
namespace {

using Clock = std::chrono::steady_clock;

/// The options as the core takes them; pointers lead into the call and into this.
class CallParams {
 public:
  explicit CallParams(const TranscribeCall& call) {
    apply(call.options, params, more, storage_);
    if (call.words) params.token_timestamps = true;
    // What no field says by itself: more than one beam is another strategy, and a grammar is parsed.
    if (params.beam_search.beam_size > 1) params.strategy = WHISPER_SAMPLING_BEAM_SEARCH;
    const std::string& grammar = call.options.grammar;
    if (grammar.empty()) return;
    whisper_ext_clear_error();
    grammar_.reset(whisper_ext_grammar_parse(grammar.c_str(), call.options.grammar_start.c_str()));
    if (!grammar_) throw last_failure("parsing the grammar", "options.grammar");
    params.grammar_rules = whisper_ext_grammar_rules(grammar_.get());
    params.n_grammar_rules = whisper_ext_grammar_n_rules(grammar_.get());
    params.i_start_rule = whisper_ext_grammar_start_rule(grammar_.get());
  }
  CallParams(const CallParams&) = delete;
  CallParams& operator=(const CallParams&) = delete;

  whisper_full_params params = whisper_full_default_params(WHISPER_SAMPLING_GREEDY);
  whisper_ext_options more = whisper_ext_default_options();

 private:
  struct FreeGrammar {
    void operator()(whisper_ext_grammar* grammar) const { whisper_ext_grammar_free(grammar); }
  };

  TranscribeOptionsStorage storage_;
  std::unique_ptr<whisper_ext_grammar, FreeGrammar> grammar_;
};

/// Seconds of a time in units of 10 ms; none where the core has none.
std::optional<double> seconds(std::int64_t centiseconds) {
  if (centiseconds < 0) return std::nullopt;
  return static_cast<double>(centiseconds) / 100.0;
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

std::vector<Token> tokens_of(whisper_context* model, whisper_state* state, int i) {
  std::vector<Token> tokens;
  const whisper_token first_special = whisper_token_eot(model);
  for (int j = 0; j < whisper_full_n_tokens_from_state(state, i); ++j) {
    const whisper_token_data data = whisper_full_get_token_data_from_state(state, i, j);
    tokens.push_back({.id = data.id,
                      .text = text_of(whisper_full_get_token_text_from_state(model, state, i, j)),
                      .probability = data.p,
                      .log_probability = data.plog,
                      .is_special = data.id >= first_special,
                      .start_s = seconds(data.t0),
                      .end_s = seconds(data.t1),
                      .dtw_s = seconds(data.t_dtw)});
  }
  return tokens;
}

std::vector<Word> words_of(whisper_context* model, whisper_state* state, int i) {
  struct FreeWords {
    void operator()(whisper_ext_words* words) const { whisper_ext_words_free(words); }
  };
  const std::unique_ptr<whisper_ext_words, FreeWords> found(whisper_ext_words_of_segment(model, state, i));
  std::vector<Word> words;
  for (int j = 0; j < whisper_ext_words_n(found.get()); ++j) {
    const whisper_ext_word word = whisper_ext_words_get(found.get(), j);
    words.push_back({.text = text_of(word.text),
                     .start_s = seconds(word.t0).value_or(0.0),
                     .end_s = seconds(word.t1).value_or(0.0),
                     .probability = word.p});
  }
  return words;
}

Segment segment_of(whisper_context* model, whisper_state* state, int i, const TranscribeCall& call) {
  Segment segment;
  segment.start_s = seconds(whisper_full_get_segment_t0_from_state(state, i)).value_or(0.0);
  segment.end_s = seconds(whisper_full_get_segment_t1_from_state(state, i)).value_or(0.0);
  segment.text = text_of(whisper_full_get_segment_text_from_state(state, i));
  segment.no_speech_probability = whisper_full_get_segment_no_speech_prob_from_state(state, i);
  segment.speaker_turn_next = whisper_full_get_segment_speaker_turn_next_from_state(state, i);
  if (call.tokens) segment.tokens = tokens_of(model, state, i);
  if (call.words) segment.words = words_of(model, state, i);
  return segment;
}

/// What the callbacks of one transcription share. The core calls one at a time, but from any of its threads.
class Run {
 public:
  Run(const TranscribeCall& call, const EventSink& sink, const std::atomic<bool>& cancelled)
      : call_(call), sink_(sink), cancelled_(cancelled) {}

  void attach(whisper_full_params& params) {
    params.abort_callback = [](void* self) { return static_cast<Run*>(self)->cancelled_.load(); };
    params.abort_callback_user_data = this;
    params.encoder_begin_callback = [](whisper_context*, whisper_state*, void* self) {
      return !static_cast<Run*>(self)->cancelled_.load();
    };
    params.encoder_begin_callback_user_data = this;
    if (!sink_) return;
    params.progress_callback = [](whisper_context*, whisper_state*, int percent, void* self) {
      static_cast<Run*>(self)->progress(percent);
    };
    params.progress_callback_user_data = this;
    params.new_segment_callback = [](whisper_context* model, whisper_state* state, int n_new, void* self) {
      static_cast<Run*>(self)->segments(model, state, n_new);
    };
    params.new_segment_callback_user_data = this;
  }

  /// Raises what a callback could not let out: memory ran out while an event was made.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void progress(int percent) noexcept {
    if (percent <= percent_) return;
    percent_ = percent;
    tell([&](TranscribeEvent& event) {
      event.type = EventType::kProgress;
      event.progress_percent = percent;
    });
  }

  void segments(whisper_context* model, whisper_state* state, int n_new) noexcept {
    tell([&](TranscribeEvent& event) {
      event.type = EventType::kSegments;
      const int n = whisper_full_n_segments_from_state(state);
      event.first_index = n - n_new;
      event.segments.emplace();
      for (int i = n - n_new; i < n; ++i) event.segments->push_back(segment_of(model, state, i, call_));
    });
  }

  template <typename Fill>
  void tell(const Fill& fill) noexcept {
    if (cancelled_ || error_) return;
    try {
      TranscribeEvent event;
      fill(event);
      sink_(std::move(event));
    } catch (...) {
      error_ = std::current_exception();
    }
  }

  const TranscribeCall& call_;
  const EventSink& sink_;
  const std::atomic<bool>& cancelled_;
  int percent_ = -1;
  std::exception_ptr error_;
};

/// The core's refusal of a call; its messages name most options, and the others are told by what they say.
Refusal refusal_of(const TranscribeCall& call) {
  Refusal refusal = last_failure("transcribing");
  if (!refusal.field.empty()) return refusal;
  const TranscribeOptions& options = call.options;
  const auto says = [&refusal](const std::string& text) { return refusal.message.find(text) != std::string::npos; };
  if (says("language '")) {
    const bool is_candidate = std::any_of(options.language_candidates.begin(), options.language_candidates.end(),
                                          [&says](const std::string& one) { return says("language '" + one + "'"); });
    refusal.field = is_candidate ? "options.languageCandidates" : "options.language";
  } else if (options.vad && !options.vad_model_path.empty() && says(options.vad_model_path)) {
    refusal.field = "options.vadModelPath";
  } else if (refusal.code == code::kInvalidArgument || refusal.code == code::kBadFormat || refusal.code == code::kIo) {
    // What is left is what only the recording can be guilty of, such as a sample that is no number.
    refusal.field = "audio";
  }
  return refusal;
}

Stats stats_between(const whisper_ext_stats& before, const whisper_ext_stats& after) {
  return {.mel_ms = after.mel_ms - before.mel_ms,
          .encode_ms = after.encode_ms - before.encode_ms,
          .prompt_ms = after.prompt_ms - before.prompt_ms,
          .decode_ms = after.decode_ms - before.decode_ms,
          .batched_ms = after.batchd_ms - before.batchd_ms,
          .sample_ms = after.sample_ms - before.sample_ms,
          .n_windows = after.n_encode - before.n_encode,
          .n_tokens = after.n_sample - before.n_sample,
          .n_fallbacks = after.n_fail_p - before.n_fail_p};
}

}  // namespace

Transcription Session::transcribe(const Audio& audio, const TranscribeCall& call, const EventSink& sink,
                                  const std::atomic<bool>& cancelled, double queued_ms) {
  const auto start = Clock::now();
  const std::shared_ptr<whisper_context> held = model();
  whisper_context* context = held.get();
  whisper_state* state = state_.get();
  CallParams asked(call);
  const Recording recording(audio, true);
  Run run(call, sink, cancelled);
  run.attach(asked.params);

  const whisper_ext_stats before = whisper_ext_get_stats_from_state(context, state);
  whisper_ext_clear_error();
  const int status =
      recording.file() != nullptr
          ? whisper_ext_full_audio(context, state, asked.params, &asked.more, recording.file())
          : whisper_ext_full(context, state, asked.params, &asked.more, recording.samples(), recording.n_samples());
  run.rethrow();
  Transcription result;
  result.is_cancelled = cancelled;
  if (status != 0 && !result.is_cancelled) throw refusal_of(call);

  const int n_segments = whisper_full_n_segments_from_state(state);
  for (int i = 0; i < n_segments; ++i) {
    result.segments.push_back(segment_of(context, state, i, call));
    result.text += result.segments.back().text;
  }
  if (const char* language = whisper_lang_str(whisper_full_lang_id_from_state(state))) {
    result.language = language;
    result.language_probability = whisper_ext_full_lang_probability_from_state(state);
  }
  for (int i = 0; i < whisper_full_n_vad_segments_from_state(state); ++i) {
    result.speech.push_back({.start_s = seconds(whisper_full_get_vad_segment_t0_from_state(state, i)).value_or(0.0),
                             .end_s = seconds(whisper_full_get_vad_segment_t1_from_state(state, i)).value_or(0.0)});
  }
  result.duration_s = recording.seconds();
  result.stats = stats_between(before, whisper_ext_get_stats_from_state(context, state));
  result.stats.audio_s = recording.seconds();
  result.stats.queued_ms = queued_ms;
  result.stats.n_threads = threads_or_default(asked.params.n_threads);
  result.stats.total_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return result;
}

}  // namespace speech::js
