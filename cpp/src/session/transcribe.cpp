// The seek loop. Times are frames of 10 ms.
#include "session/transcribe.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/threads.h"
#include "decode/token_pattern.h"
#include "decode/token_text.h"
#include "decode/wrap.h"
#include "session/alignment.h"
#include "session/language.h"
#include "session/steps.h"
#include "session/window_decoder.h"

namespace speech {
namespace {

constexpr int kMinimumSamples = kMinimumFrames * kHopLength;
constexpr int kShortTail = 500;  // frames: with less audio left, earlier text makes the decoder repeat itself

Status check_decoders(const char* name, int value, int least) {
  return value >= least && value <= kMaxDecoders
             ? Status::ok()
             : Status(Code::kInvalidArgument, std::string("option ") + name + " is " + std::to_string(value) +
                                                  ", expected 1 to " + std::to_string(kMaxDecoders));
}

// One transcription on its way through the recording.
class Transcription {
 public:
  Transcription(const Context& context, State& state, const Options& options, const Piece& piece)
      : context_(context), state_(state), options_(options), piece_(piece) {}

  Status run(Stage& stage);

 private:
  Status check_limits(Stage& stage);
  std::vector<Token> task_tokens() const;
  void prepare_past();
  Status measure_energy();
  Status run_windows(Stage& stage);
  std::vector<Segment> with_times(std::vector<Segment> segments, const Window& window) const;
  Status keep_result(const Sequence& best, const Window& window, const WindowDecoder& decoder,
                     std::span<const Token> task);
  void report_progress(int percent);
  std::unique_lock<Mutex> results_lock() const {
    Mutex* const mutex = options_.callbacks.results_mutex;
    return mutex != nullptr ? std::unique_lock(*mutex) : std::unique_lock<Mutex>();
  }

  const Context& context_;
  State& state_;
  Options options_;  // a copy: distilled models change it
  const Piece& piece_;
  std::vector<Token> suppressed_;  // by suppress_regex
  std::vector<Token> carried_;     // the prompt, where every window has it
  int n_threads_ = 1;
  int seek_start_ = 0;
  int seek_end_ = 0;
  SignalEnergy energy_;   // of the piece, where token times are wanted
  int previous_end_ = 0;  // of the last segment, in frames of the piece
  int progress_ = -1;
};

Status Transcription::check_limits(Stage& stage) {
  stage = Stage::kOptions;
  SPEECH_RETURN_IF_ERROR(validate(options_, context_.vocabulary()));
  SPEECH_ASSIGN_OR_RETURN(n_threads_, resolve_threads(options_.n_threads));
  if (!options_.suppress_regex.empty()) {
    Result<std::vector<Token>> matching = tokens_matching(context_.vocabulary(), options_.suppress_regex);
    if (!matching) {
      return {matching.status().code(), "option suppress_regex: " + matching.status().message()};
    }
    suppressed_ = std::move(matching).value();
  }
  stage = Stage::kLanguage;
  SPEECH_RETURN_IF_ERROR(check_languages(context_, options_));
  stage = Stage::kDecoders;
  SPEECH_RETURN_IF_ERROR(check_decoders("best_of", options_.best_of, 1));
  SPEECH_RETURN_IF_ERROR(check_decoders("beam_size", options_.n_beams, 0));
  stage = Stage::kAudioContext;
  const int n_audio_ctx = context_.hyperparameters().n_audio_ctx;
  if (options_.audio_ctx > n_audio_ctx) {
    return {Code::kInvalidArgument, "option audio_ctx is " + std::to_string(options_.audio_ctx) +
                                        ", expected at most the model's " + std::to_string(n_audio_ctx)};
  }
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
  std::vector<Token> prompt =
      options_.prompt_tokens.empty() ? context_.vocabulary().encode(options_.initial_prompt) : options_.prompt_tokens;
  if (options_.carry_initial_prompt) {
    carried_ = std::move(prompt);
  } else {
    state_.past.insert(state_.past.begin(), prompt.begin(), prompt.end());
  }
}

void Transcription::report_progress(int percent) {
  percent = std::clamp(percent, 0, 100);
  if (percent > progress_ && options_.callbacks.progress) {
    progress_ = percent;
    options_.callbacks.progress(percent);
  }
}

Status Transcription::run(Stage& stage) {
  const Samples& samples = piece_.samples;
  SPEECH_RETURN_IF_ERROR(check_limits(stage));
  const AbortScope abort_scope(state_, options_.callbacks);

  seek_start_ = options_.offset_ms / 10;
  const auto n_before = static_cast<std::size_t>(options_.offset_ms) * (kSampleRate / 1000);
  std::size_t n_samples = samples.size() - std::min(samples.size(), n_before);
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
  SPEECH_RETURN_IF_ERROR(compute_features(context_, state_, samples, n_threads_, options_.callbacks));
  const int n_left = std::max(state_.features.n_audio_frames() - seek_start_, 1);
  seek_end_ = seek_start_ + (options_.duration_ms > 0 ? std::min(n_left, options_.duration_ms / 10) : n_left);

  stage = Stage::kLanguage;
  SPEECH_RETURN_IF_ERROR(choose_language(context_, state_, options_, seek_start_, n_threads_));
  if (options_.detect_language_only) {
    report_progress(100);
    return Status::ok();
  }
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

Status Transcription::measure_energy() {
  constexpr std::size_t kBlockSamples = std::size_t{kSampleRate} * 30;
  energy_ = SignalEnergy();
  std::vector<float> room;
  for (std::size_t begin = 0; begin < piece_.samples.size(); begin += kBlockSamples) {
    const std::size_t n = std::min(kBlockSamples, piece_.samples.size() - begin);
    if (state_.cancelled && state_.cancelled()) {
      return {Code::kCancelled, "cancelled while the signal's energy was measured"};
    }
    SPEECH_ASSIGN_OR_RETURN(const std::span<const float> pcm, piece_.samples.read(begin, n, room));
    energy_.push(pcm);
  }
  energy_.finish();
  return Status::ok();
}

Status Transcription::run_windows(Stage& stage) {
  if (options_.token_times || options_.max_segment_length > 0) {
    stage = Stage::kFeatures;
    SPEECH_RETURN_IF_ERROR(measure_energy());
  }
  stage = Stage::kDecode;
  SPEECH_RETURN_IF_ERROR(state_.engine->reserve(std::max(options_.best_of, options_.n_beams)));
  const std::vector<Token> task = task_tokens();
  const int n_text_ctx = context_.hyperparameters().n_text_ctx;
  SPEECH_ASSIGN_OR_RETURN(WindowDecoder decoder,
                          WindowDecoder::create(context_, state_, options_, std::move(suppressed_)));

  int seek = seek_start_;
  previous_end_ = seek_start_;
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
    SPEECH_ASSIGN_OR_RETURN(const Sequence* best, decoder.decode(window, {carried_, state_.past, task}));
    SPEECH_RETURN_IF_ERROR(keep_result(*best, window, decoder, task));
    seek += std::max(next_seek_delta(*best, window, context_.vocabulary().special()), 1);
  }
  report_progress(100);
  return Status::ok();
}

Status Transcription::keep_result(const Sequence& best, const Window& window, const WindowDecoder& decoder,
                                  std::span<const Token> task) {
  // The next window's past: what this one's prompt had of it, and its own text.
  std::vector<Token>& past = state_.past;
  past.erase(past.begin(), past.end() - decoder.n_past_used());
  if (is_silence(best, options_.fallback, decoder.no_speech_probability())) {
    return Status::ok();
  }
  for (const TokenData& token : best.tokens().first(static_cast<std::size_t>(best.result_length()))) {
    past.push_back(token.id);
  }
  std::vector<Segment> segments = cut_segments(best.tokens(), window, best.seek_delta(), previous_end_,
                                               context_.vocabulary(), {options_.single_segment, options_.keep_special});
  if (segments.empty()) {
    return Status::ok();
  }
  previous_end_ = segments.back().end;
  for (Segment& segment : segments) {
    segment.no_speech_probability = decoder.no_speech_probability();
  }
  SPEECH_RETURN_IF_ERROR(align_window(context_, state_, window, task, segments));
  segments = with_times(std::move(segments), window);
  for (Segment& segment : segments) {
    piece_.map_times(segment);
    segment.token_texts = token_texts(segment.tokens, context_.vocabulary(), options_.keep_special);
    {
      const auto lock = results_lock();
      state_.segments.push_back(std::move(segment));
    }
    if (options_.callbacks.new_segments) {
      options_.callbacks.new_segments(1);
    }
  }
  return Status::ok();
}

// Token times where they are asked for, and pieces of limited length, which need them.
std::vector<Segment> Transcription::with_times(std::vector<Segment> segments, const Window& window) const {
  const bool wraps = options_.max_segment_length > 0;
  if (!options_.token_times && !wraps) {
    return segments;
  }
  std::vector<Segment> pieces;
  for (Segment& segment : segments) {
    set_token_times(segment, window.seek, energy_, context_.vocabulary(), options_.token_time_options);
    if (!wraps) {
      pieces.push_back(std::move(segment));
      continue;
    }
    const WrapOptions wrap = {options_.max_segment_length, options_.split_on_word, options_.keep_special};
    std::ranges::move(wrap_segment(std::move(segment), context_.vocabulary(), wrap), std::back_inserter(pieces));
  }
  return pieces;
}

}  // namespace

Status transcribe_piece(const Context& context, State& state, const Options& options, const Piece& piece,
                        Stage& stage) {
  const RecordingScope recording_scope(state, piece.samples, options.callbacks);
  Status status = Transcription(context, state, options, piece).run(stage);
  state.engine->cache().clear();  // its candidates would keep cells from the steps that a caller takes by himself
  return status;
}

Status transcribe(const Context& context, State& state, const Options& options, const Samples& samples, Stage& stage) {
  state.clear_results();
  stage = Stage::kOptions;
  SPEECH_RETURN_IF_ERROR(validate(options, context.vocabulary()));
  if (!options.vad) {
    return transcribe_piece(context, state, options, {samples, 0, nullptr, 0}, stage);
  }
  SPEECH_ASSIGN_OR_RETURN(const Piece speech, speech_of(state, options, excerpt(options, samples), stage));
  Options rest = options;
  rest.offset_ms = rest.duration_ms = 0;  // the excerpt is taken
  return transcribe_piece(context, state, rest, speech, stage);
}

}  // namespace speech
