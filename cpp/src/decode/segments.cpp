// Segments from timestamp to timestamp.
#include "decode/segments.h"

#include <algorithm>

#include "text/utf8.h"

namespace speech {
namespace {

class Cutter {
 public:
  Cutter(const Window& window, int previous_end, const Vocabulary& vocabulary, const CutOptions& options)
      : window_(window), floor_(previous_end), vocabulary_(vocabulary), options_(options) {}

  void add(const TokenData& token) {
    current_.tokens.push_back(token);
    if (options_.keep_special || vocabulary_.is_text(token.id)) {
      current_.text += vocabulary_.bytes(token.id);
    }
    current_.speaker_turn_next |= token.id == vocabulary_.special().solm;
  }

  void close(int start, int end) {
    if (!current_.text.empty()) {
      current_.text = sanitize_utf8(current_.text);
      current_.start = std::clamp(start, floor_, std::max(floor_, window_.seek_end));
      current_.end = std::clamp(end, current_.start, std::max(current_.start, window_.seek_end));
      floor_ = current_.end;
      segments_.push_back(std::move(current_));
    }
    current_ = {};
  }

  std::vector<Segment> take() { return std::move(segments_); }

 private:
  const Window& window_;
  int floor_;  // no segment begins before it
  const Vocabulary& vocabulary_;
  const CutOptions& options_;
  Segment current_;
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Segment> cut_segments(std::span<const TokenData> tokens, const Window& window, int seek_delta,
                                  int previous_end, const Vocabulary& vocabulary, const CutOptions& options) {
  if (tokens.empty()) {
    return {};
  }
  const Token beg = vocabulary.special().beg;
  const auto frame_of = [&](const TokenData& token) { return window.seek + 2 * (token.timestamp_id - beg); };
  const auto is_cut = [&](const TokenData& token) { return token.id > beg && !options.single_segment; };

  Cutter cutter(window, previous_end, vocabulary, options);
  int start = frame_of(tokens.front());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    cutter.add(tokens[i]);
    if (!is_cut(tokens[i])) {
      continue;
    }
    const int end = frame_of(tokens[i]);
    cutter.close(start, end);
    start = end;
    while (i + 1 < tokens.size() && is_cut(tokens[i + 1])) {  // the other half of the pair starts the next segment
      ++i;
      start = frame_of(tokens[i]);
    }
  }
  cutter.close(start, window.seek + seek_delta);
  return cutter.take();
}

int next_seek_delta(const Sequence& sequence, const Window& window, const SpecialTokens& special) {
  const std::span<const TokenData> tokens = sequence.tokens();
  const std::size_t n = tokens.size();
  const bool cut_by_limit =
      window.max_tokens > 0 && !window.single_segment && n > static_cast<std::size_t>(window.max_tokens);
  const bool ends_with_single = n > 1 && tokens[n - 2].id < special.beg && tokens[n - 1].id > special.beg;
  if (ends_with_single && !cut_by_limit) {
    return std::min(window.seek_end - window.seek, kWindowFrames);
  }
  return sequence.seek_delta();
}

}  // namespace speech
