// The seek loop. Times are frames of 10 ms.
#include "session/transcribe.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/log.h"
#include "session/steps.h"
#include "session/window_decoder.h"
#include "text/languages.h"

namespace speech {
namespace {

constexpr int kMinimumSamples = kMinimumFrames * kHopLength;
constexpr int kShortTail = 500;  // frames: with less audio left, earlier text makes the decoder repeat itself

// One transcription on its way through the recording.
class Transcription {
 public:
  Transcription(const Context& context, State& state, const Options& options)
      : context_(context), state_(state), options_(options) {}

  Status run(std::span<const float> pcm, Stage& stage);

 private:
  Status check_limits(Stage& stage);
  Status find_language();
  std::vector<Token> task_tokens() const;
  void prepare_past();
  Status run_windows(Stage& stage);
  void keep_result(const Sequence& best, const Window& window, const WindowDecoder& decoder);
  void report_progress(int percent);

  const Context& context_;
  State& state_;
  Options options_;  // a copy: distilled models change it
  int n_threads_ = 1;
  int seek_start_ = 0;
  int seek_end_ = 0;
  int progress_ = -1;
};

Status Transcription::check_limits(Stage& stage) {
  stage = Stage::kOptions;
  SPEECH_RETURN_IF_ERROR(validate(options_, context_.vocabulary()));
  SPEECH_ASSIGN_OR_RETURN(n_threads_, resolve_threads(options_.n_threads));
  stage = Stage::kDecoders;
  if (options_.best_of < 1 || options_.best_of > kMaxDecoders) {
    return {Code::kInvalidArgument, "option best_of is " + std::to_string(options_.best_of) + ", expected 1 to " +
                                        std::to_string(kMaxDecoders)};
  }
  stage = Stage::kAudioContext;
  const int n_audio_ctx = context_.hyperparameters().n_audio_ctx;
  if (options_.audio_ctx > n_audio_ctx) {
    return {Code::kInvalidArgument, "option audio_ctx is " + std::to_string(options_.audio_ctx) +
                                        ", expected at most the model's " + std::to_string(n_audio_ctx)};
  }
  return Status::ok();
}

Status Transcription::find_language() {
  const Vocabulary& vocabulary = context_.vocabulary();
  const bool detect = options_.language.empty() || options_.language == "auto";
  if (!vocabulary.is_multilingual()) {
    const bool is_english = detect || language_id(options_.language) == 0;
    state_.language = 0;
    state_.language_probability = 1;
    return is_english ? Status::ok()
                      : Status(Code::kUnsupported,
                               "language '" + options_.language +
                                   "' with an English-only model; load a multilingual model, or ask for 'en'");
  }
  if (detect) {
    SPEECH_RETURN_IF_ERROR(detect_language(context_, state_, seek_start_, options_.audio_ctx, n_threads_, {}));
    log(LogLevel::kInfo, "detected language %s, probability %.3f", std::string(language_code(state_.language)).c_str(),
        static_cast<double>(state_.language_probability));
    return Status::ok();
  }
  const std::optional<int> id = language_id(options_.language);
  if (!id || *id >= vocabulary.n_languages()) {
    return {Code::kInvalidArgument, "language '" + options_.language + "' is not one of the model's " +
                                        std::to_string(vocabulary.n_languages()) +
                                        "; expected a code such as 'de', a name such as 'german', or 'auto'"};
  }
  state_.language = *id;
  state_.language_probability = 1;
  return Status::ok();
}

std::vector<Token> Transcription::task_tokens() const {
  const SpecialTokens& special = context_.vocabulary().special();
  std::vector<Token> tokens = {special.sot};
  if (context_.vocabulary().is_multilingual()) {
    tokens.push_back(special.first_language + state_.language);
    tokens.push_back(options_.translate ? special.translate : special.transcribe);
  }
  if (options_.no_timestamps) {
    tokens.push_back(special.not_);
  }
  return tokens;
}

void Transcription::prepare_past() {
  if (options_.no_context) {
    state_.past.clear();
  }
  const std::vector<Token> prompt =
      options_.prompt_tokens.empty() ? context_.vocabulary().encode(options_.initial_prompt) : options_.prompt_tokens;
  state_.past.insert(state_.past.begin(), prompt.begin(), prompt.end());
}

void Transcription::report_progress(int percent) {
  percent = std::clamp(percent, 0, 100);
  if (percent > progress_ && options_.callbacks.progress) {
    progress_ = percent;
    options_.callbacks.progress(percent);
  }
}

Status Transcription::run(std::span<const float> pcm, Stage& stage) {
  state_.segments.clear();
  state_.language = -1;
  state_.language_probability = 0;
  SPEECH_RETURN_IF_ERROR(check_limits(stage));
  const AbortScope abort_scope(state_, options_.callbacks);

  seek_start_ = options_.offset_ms / 10;
  const auto n_before = static_cast<std::size_t>(options_.offset_ms) * (kSampleRate / 1000);
  std::size_t n_samples = pcm.size() - std::min(pcm.size(), n_before);
  if (options_.duration_ms > 0) {
    n_samples = std::min(n_samples, static_cast<std::size_t>(options_.duration_ms) * (kSampleRate / 1000));
  }
  if (n_samples < kMinimumSamples) {
    log(LogLevel::kWarn, "%zu samples to transcribe are less than 100 ms (%d samples): no segments", n_samples,
        kMinimumSamples);
    report_progress(100);
    return Status::ok();
  }

  stage = Stage::kFeatures;
  SPEECH_RETURN_IF_ERROR(compute_features(context_, state_, pcm, n_threads_, options_.callbacks));
  const int n_left = std::max(state_.mel.n_audio_frames - seek_start_, 1);
  seek_end_ = seek_start_ + (options_.duration_ms > 0 ? std::min(n_left, options_.duration_ms / 10) : n_left);

  stage = Stage::kLanguage;
  SPEECH_RETURN_IF_ERROR(find_language());
  // The first distilled models never learned timestamps. Source: distil-whisper model cards; large-v3 ones did.
  constexpr int kLargeV3Vocabulary = 51866;
  if (context_.hyperparameters().n_text_layer == 2 && context_.vocabulary().size() != kLargeV3Vocabulary &&
      !options_.no_timestamps) {
    log(LogLevel::kWarn, "a distilled model of the first release: timestamps are turned off");
    options_.no_timestamps = true;
  }
  prepare_past();
  return run_windows(stage);
}

Status Transcription::run_windows(Stage& stage) {
  stage = Stage::kDecode;
  SPEECH_RETURN_IF_ERROR(state_.engine->reserve(options_.best_of));
  const std::vector<Token> task = task_tokens();
  const int n_text_ctx = context_.hyperparameters().n_text_ctx;
  WindowDecoder decoder(context_, state_, options_);

  int seek = seek_start_;
  while (seek == seek_start_ || seek + kMinimumFrames < seek_end_) {
    report_progress(static_cast<int>(100LL * (seek - seek_start_) / (seek_end_ - seek_start_)));
    if (options_.callbacks.encoder_begin && !options_.callbacks.encoder_begin()) {
      log(LogLevel::kInfo, "the encoder-begin callback ended the transcription at %d ms", seek * 10);
      return Status::ok();
    }
    stage = Stage::kEncode;
    SPEECH_RETURN_IF_ERROR(encode_window(context_, state_, seek, options_.audio_ctx, n_threads_));
    stage = Stage::kDecode;
    if (seek > seek_start_ && seek + kShortTail >= seek_end_) {
      state_.past.clear();
    }
    const Window window = {
        seek, seek_end_, n_text_ctx / 2 - 4, options_.no_timestamps, options_.single_segment, options_.max_tokens};
    SPEECH_ASSIGN_OR_RETURN(const Sequence* best, decoder.decode(window, {state_.past, task}));
    keep_result(*best, window, decoder);
    seek += std::max(next_seek_delta(*best, window, context_.vocabulary().special()), 1);
  }
  report_progress(100);
  return Status::ok();
}

void Transcription::keep_result(const Sequence& best, const Window& window, const WindowDecoder& decoder) {
  // The next window's past: what this one's prompt had of it, and its own text.
  std::vector<Token>& past = state_.past;
  past.erase(past.begin(), past.end() - decoder.n_past_used());
  if (is_silence(best, options_.fallback, decoder.no_speech_probability())) {
    return;
  }
  for (const TokenData& token : best.tokens().first(static_cast<std::size_t>(best.result_length()))) {
    past.push_back(token.id);
  }
  const int previous_end = state_.segments.empty() ? seek_start_ : state_.segments.back().end;
  std::vector<Segment> segments = cut_segments(best.tokens(), window, best.seek_delta(), previous_end,
                                               context_.vocabulary(), {options_.single_segment, options_.keep_special});
  for (Segment& segment : segments) {
    segment.no_speech_probability = decoder.no_speech_probability();
    state_.segments.push_back(std::move(segment));
    if (options_.callbacks.new_segments) {
      options_.callbacks.new_segments(1);
    }
  }
}

}  // namespace

Status transcribe(const Context& context, State& state, const Options& options, std::span<const float> pcm,
                  Stage& stage) {
  Status status = Transcription(context, state, options).run(pcm, stage);
  state.engine->cache().clear();  // its candidates would keep cells from the steps that a caller takes by himself
  return status;
}

}  // namespace speech
