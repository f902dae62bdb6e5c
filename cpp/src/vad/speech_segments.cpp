// The rules, one pass over the probabilities and three over the stretches.
#include "vad/speech_segments.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "vad/silero_model.h"

namespace speech {
namespace {

constexpr std::int64_t kSamplesPerMs = 16;
constexpr int kMaxMs = 3'600'000;
constexpr float kHysteresis = 0.15F;
constexpr float kLowestSilenceThreshold = 0.01F;
constexpr std::int64_t kMinSilenceOfCut = 98 * kSamplesPerMs;  // a cut wants three whole windows of silence
constexpr std::int64_t kSmallGap = 200 * kSamplesPerMs;

/// Short, and exact enough to tell a value from the end of its range.
std::string number(float value) {
  std::string text = std::to_string(value);
  if (std::isfinite(value)) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return text;
}

Status out_of_range(const char* name, const std::string& value, const std::string& range) {
  return {Code::kInvalidArgument, std::string(name) + " is " + value + "; expected " + range};
}

Status check_ms(const char* name, int value) {
  if (value < 0 || value > kMaxMs) {
    return out_of_range(name, std::to_string(value), "0 to " + std::to_string(kMaxMs) + " ms");
  }
  return Status::ok();
}

/// Samples that speech may have before padding.
std::int64_t most_samples(const VadOptions& options) {
  const double samples = static_cast<double>(options.max_speech_s) * 1000.0 * kSamplesPerMs - kVadWindowSamples -
                         2.0 * options.pad_ms * kSamplesPerMs;
  // What no recording reaches stands for "no limit"; less than a window cannot be told apart.
  constexpr double kNoLimit = 1e15;
  return static_cast<std::int64_t>(std::clamp(samples, static_cast<double>(kVadWindowSamples), kNoLimit));
}

/// Follows speech from window to window.
class SpeechFollower {
 public:
  explicit SpeechFollower(const VadOptions& options)
      : threshold_(options.threshold),
        silence_threshold_(
            std::min(std::max(options.threshold - kHysteresis, kLowestSilenceThreshold), options.threshold)),
        min_speech_(options.min_speech_ms * kSamplesPerMs),
        min_silence_(options.min_silence_ms * kSamplesPerMs),
        max_speech_(most_samples(options)) {}

  /// at: first sample of the window
  void window(std::int64_t at, float probability) {
    const bool is_speech = probability >= threshold_;
    if (is_speech && silence_begin_ != kNone) {
      remember_silence(silence_begin_, at);
      silence_begin_ = kNone;
    }
    if (begin_ == kNone) {
      if (is_speech) {
        begin_ = at;
      }
      return;
    }
    if (at - begin_ > max_speech_) {
      cut(at, is_speech);
    }
    if (begin_ != kNone && probability < silence_threshold_) {
      if (silence_begin_ == kNone) {
        silence_begin_ = at;
      }
      if (at - silence_begin_ >= min_silence_) {
        end_speech(silence_begin_);
      }
    }
  }

  std::vector<SpeechSegment> finish(std::int64_t n_samples) {
    if (begin_ != kNone) {
      end_speech(n_samples);
    }
    return std::move(segments_);
  }

 private:
  static constexpr std::int64_t kNone = -1;

  void remember_silence(std::int64_t begin, std::int64_t end) {
    const std::int64_t length = end - begin;
    if (length > kMinSilenceOfCut && length > longest_silence_.end - longest_silence_.begin) {
      longest_silence_ = {begin, end};
    }
  }

  void cut(std::int64_t at, bool is_speech) {
    if (longest_silence_.end > longest_silence_.begin) {
      segments_.push_back({begin_, longest_silence_.begin});
      begin_ = longest_silence_.end;
    } else {
      segments_.push_back({begin_, at});
      begin_ = is_speech ? at : kNone;
    }
    silence_begin_ = kNone;
    longest_silence_ = {};
  }

  void end_speech(std::int64_t end) {
    if (end - begin_ > min_speech_) {
      segments_.push_back({begin_, end});
    }
    begin_ = kNone;
    silence_begin_ = kNone;
    longest_silence_ = {};
  }

  float threshold_;
  float silence_threshold_;
  std::int64_t min_speech_;
  std::int64_t min_silence_;
  std::int64_t max_speech_;
  std::int64_t begin_ = kNone;          // of the speech that goes on
  std::int64_t silence_begin_ = kNone;  // of the silence that may end it
  SpeechSegment longest_silence_;       // inside it, empty if there is none
  std::vector<SpeechSegment> segments_;
};

void close_small_gaps(std::vector<SpeechSegment>& segments, std::int64_t max_speech) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < segments.size(); ++i) {
    SpeechSegment& last = segments[kept];
    if (segments[i].begin - last.end < kSmallGap && segments[i].end - last.begin <= max_speech) {
      last.end = segments[i].end;
    } else {
      segments[++kept] = segments[i];
    }
  }
  if (!segments.empty()) {
    segments.resize(kept + 1);
  }
}

void pad(std::vector<SpeechSegment>& segments, std::int64_t padding, std::int64_t n_samples) {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i == 0) {
      segments[i].begin = std::max<std::int64_t>(0, segments[i].begin - padding);
    }
    if (i + 1 == segments.size()) {
      segments[i].end = std::min(n_samples, segments[i].end + padding);
      continue;
    }
    const std::int64_t gap = segments[i + 1].begin - segments[i].end;
    const std::int64_t each = gap < 2 * padding ? gap / 2 : padding;
    segments[i].end += each;
    segments[i + 1].begin -= each;
  }
}

}  // namespace

Status check(const VadOptions& options) {
  // Written so that NaN fails.
  if (!(options.threshold >= 0.0F && options.threshold <= 1.0F)) {
    return out_of_range("threshold", number(options.threshold), "0 to 1");
  }
  SPEECH_RETURN_IF_ERROR(check_ms("min_speech_duration_ms", options.min_speech_ms));
  SPEECH_RETURN_IF_ERROR(check_ms("min_silence_duration_ms", options.min_silence_ms));
  if (!(options.max_speech_s > 0.0F)) {
    return out_of_range("max_speech_duration_s", number(options.max_speech_s), "more than 0 s");
  }
  SPEECH_RETURN_IF_ERROR(check_ms("speech_pad_ms", options.pad_ms));
  if (!(options.overlap_s >= 0.0F && options.overlap_s <= static_cast<float>(kMaxMs) / 1000.0F)) {
    return out_of_range("samples_overlap", number(options.overlap_s), "0 to " + std::to_string(kMaxMs / 1000) + " s");
  }
  return Status::ok();
}

std::vector<SpeechSegment> find_speech(std::span<const float> probabilities, std::int64_t n_samples,
                                       const VadOptions& options) {
  SpeechFollower follower(options);
  std::int64_t at = 0;
  for (const float probability : probabilities) {
    if (at >= n_samples) {
      break;
    }
    follower.window(at, probability);
    at += kVadWindowSamples;
  }
  // Fewer probabilities than samples: nothing is known of the rest.
  const std::int64_t n_known = std::min(n_samples, at);
  std::vector<SpeechSegment> segments = follower.finish(std::max<std::int64_t>(n_known, 0));
  close_small_gaps(segments, most_samples(options));
  pad(segments, options.pad_ms * kSamplesPerMs, std::max<std::int64_t>(n_samples, 0));
  return segments;
}

}  // namespace speech
