// Trusted timestamps first, the gaps between them by voice length, then the borders by loudness.
#include "decode/token_times.h"

#include <algorithm>
#include <span>
#include <vector>

#include "text/utf8.h"

namespace speech {
namespace {

constexpr int kReach = 12;          // whole frames of an eighth of a second, around a token, by which it is judged
constexpr double kHalfFrame = 0.5;  // and the rest of it
constexpr double kQuiet = 0.5;      // of the mean around it: below, nobody speaks

float character_length(char32_t character) {
  if (character >= U'0' && character <= U'9') {
    return 3.0F;
  }
  if (character >= U'０' && character <= U'９') {
    return 3.0F;
  }
  switch (character) {
    case U' ': return 0.01F;
    case U',':
    case U'，':
    case U'、': return 2.0F;
    case U'.':
    case U'!':
    case U'?':
    case U'。':
    case U'！':
    case U'？': return 3.0F;
    default: return 1.0F;
  }
}

// Trusts what may be trusted: the first token's start, the timestamps seen on the way, the segment's end.
void set_anchors(Segment& segment, int window_start, const SpecialTokens& special, const TokenTimeOptions& options) {
  std::vector<TokenData>& tokens = segment.tokens;
  tokens.front().t0 = segment.start;
  int latest = segment.start;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const int time = window_start + 2 * (tokens[i].timestamp_id - special.beg);
    if (tokens[i].timestamp_probability > options.threshold_probability &&
        tokens[i].timestamp_sum_probability > options.threshold_sum_probability && time > latest &&
        time <= segment.end) {
      if (i > 0) {
        tokens[i - 1].t1 = time;
      }
      tokens[i].t0 = latest = time;
    }
  }
  // The mark that closes a segment takes no time: the last word ends where the segment does.
  if (tokens.size() > 1 && tokens.back().id >= special.eot) {
    tokens[tokens.size() - 2].t1 = segment.end;
    tokens.back().t0 = segment.end;
  }
  tokens.back().t1 = segment.end;
}

// Shares the time from the first token's start to the last one's end among them.
void share_time(std::span<TokenData> tokens) {
  double total = 0;
  for (const TokenData& token : tokens) {
    total += static_cast<double>(token.vlen);
  }
  const int start = tokens.front().t0;
  const int length = tokens.back().t1 - start;
  double said = 0;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    said += static_cast<double>(tokens[i - 1].vlen);
    tokens[i - 1].t1 = tokens[i].t0 = start + (total > 0 ? static_cast<int>(length * said / total) : 0);
  }
}

void fill_gaps(std::span<TokenData> tokens) {
  for (std::size_t begin = 0; begin < tokens.size();) {
    std::size_t end = begin;
    while (end + 1 < tokens.size() && tokens[end].t1 < 0) {
      ++end;
    }
    share_time(tokens.subspan(begin, end + 1 - begin));
    begin = end + 1;
  }
}

// Puts the times in order whatever came before: nothing begins before the token before it has ended.
void put_in_order(std::span<TokenData> tokens, int start, int end) {
  int latest = start;
  for (TokenData& token : tokens) {
    token.t0 = std::clamp(token.t0, latest, end);
    token.t1 = std::clamp(token.t1, token.t0, end);
    latest = token.t1;
  }
}

float threshold_around(const SignalEnergy& energy, int begin, int end) {
  const int first = std::max(begin - kReach, 0);
  const int last = std::min(end + kReach, energy.n_frames());
  double sum = 0;
  for (int i = first; i < last; ++i) {
    sum += static_cast<double>(energy[i].mean);
  }
  double n_frames = last - first;
  for (const int i : {first - 1, last}) {
    if (i >= 0 && i < energy.n_frames()) {
      sum += kHalfFrame * static_cast<double>(energy[i].mean);
      n_frames += kHalfFrame;
    }
  }
  return static_cast<float>(kQuiet * sum / n_frames);
}

// Where a token that is said to begin at `t0` begins: earlier, where speech has begun already, or later, where it has
// not begun yet.
int find_start(const SignalEnergy& energy, int t0, int t1, float threshold, bool may_expand) {
  int frame = t0;
  if (energy[t0].first > threshold && may_expand) {
    do {
      --frame;
    } while (frame > 0 && energy[frame].lowest > threshold);
    return std::max(frame, 0);
  }
  if (energy[t0].first >= threshold) {
    return t0;
  }
  while (frame < t1 && energy[frame].highest < threshold) {
    ++frame;
  }
  return frame < t1 ? frame : t0;  // nothing but silence says nothing
}

// Likewise its end.
int find_end(const SignalEnergy& energy, int t0, int t1, float threshold) {
  const int last = energy.n_frames() - 1;
  int frame = t1;
  if (energy[t1].first > threshold) {
    while (frame < last && energy[frame].lowest > threshold) {
      ++frame;
    }
    return frame;
  }
  if (energy[t1].first >= threshold) {
    return t1;
  }
  do {
    --frame;
  } while (frame > t0 && energy[frame].highest < threshold);
  return frame > t0 || (frame == t0 && energy[frame].highest >= threshold) ? frame : t1;
}

void follow_loudness(std::span<TokenData> tokens, const SignalEnergy& energy, const Vocabulary& vocabulary) {
  const int last = energy.n_frames() - 1;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!vocabulary.is_text(tokens[i].id)) {
      continue;
    }
    TokenData& token = tokens[i];
    const int t0 = std::min(token.t0, last);
    const int t1 = std::min(token.t1, last);
    const float threshold = threshold_around(energy, t0, t1);
    const int start = find_start(energy, t0, t1, threshold, i > 0);
    token.t0 = i > 0 ? std::max(start, tokens[i - 1].t1) : start;
    int end = find_end(energy, std::min(token.t0, t1), t1, threshold);
    end = end == last ? std::max(end, token.t1) : end;  // the last frame ends where the audio does
    token.t1 = i + 1 < tokens.size() ? std::min(end, tokens[i + 1].t0) : end;
  }
}

}  // namespace

float voice_length(std::string_view text) {
  float length = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Step step = next_utf8(text, at);
    const bool continues = (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
    if (step.well_formed) {
      length += character_length(step.character);
    } else if (!continues) {
      length += 1.0F;
    }
    at += step.bytes;
  }
  return length;
}

void set_token_times(Segment& segment, int window_start, const SignalEnergy& energy, const Vocabulary& vocabulary,
                     const TokenTimeOptions& options) {
  if (segment.tokens.empty()) {
    return;
  }
  for (TokenData& token : segment.tokens) {
    token.t0 = token.t1 = -1;
    token.vlen = vocabulary.is_text(token.id) ? voice_length(vocabulary.bytes(token.id)) : 0.0F;
  }
  set_anchors(segment, window_start, vocabulary.special(), options);
  fill_gaps(segment.tokens);
  put_in_order(segment.tokens, segment.start, segment.end);
  if (!energy.empty()) {
    follow_loudness(segment.tokens, energy, vocabulary);
    put_in_order(segment.tokens, segment.start, segment.end);
  }
}

}  // namespace speech
