// Greedy line breaking over the smallest runs of tokens that may stand alone.
#include "decode/wrap.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/utf8.h"

namespace speech {
namespace {

// A run of tokens that is not cut.
struct Unit {
  std::size_t first_token = 0;
  std::size_t begin = 0;  // of its bytes in the segment's
  std::size_t n_characters = 0;
};

std::size_t count_characters(std::string_view text) {
  std::size_t n = 0;
  for (std::size_t at = 0; at < text.size(); at += next_utf8(text, at).bytes) {
    ++n;
  }
  return n;
}

std::vector<Unit> units_of(const Segment& segment, const Vocabulary& vocabulary, const WrapOptions& options,
                           std::string& bytes) {
  std::vector<std::size_t> begins;
  for (const TokenData& token : segment.tokens) {
    begins.push_back(bytes.size());
    if (options.keep_special || vocabulary.is_text(token.id)) {
      bytes += vocabulary.bytes(token.id);
    }
  }
  const std::vector<bool> cuts = utf8_cuts(bytes);
  std::vector<Unit> units;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t begin = begins[i];
    // Marks stay with the text before them; those at the start, and the first text, belong to the first unit.
    const bool is_cut = cuts[begin] && vocabulary.is_text(segment.tokens[i].id) && begin < bytes.size() && begin > 0 &&
                        (!options.split_on_word || bytes[begin] == ' ');
    if (units.empty() || is_cut) {
      units.push_back({i, begin, 0});
    }
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t end = i + 1 < units.size() ? units[i + 1].begin : bytes.size();
    units[i].n_characters = count_characters(std::string_view(bytes).substr(units[i].begin, end - units[i].begin));
  }
  return units;
}

}  // namespace

std::vector<Segment> wrap_segment(Segment segment, const Vocabulary& vocabulary, const WrapOptions& options) {
  std::vector<Segment> pieces;
  if (options.max_characters <= 0 || segment.tokens.empty()) {
    pieces.push_back(std::move(segment));
    return pieces;
  }
  std::string bytes;
  const std::vector<Unit> units = units_of(segment, vocabulary, options, bytes);

  // Greedy: a unit that no longer fits begins a piece.
  std::vector<Unit> starts;
  for (const Unit& unit : units) {
    const bool fits = !starts.empty() && starts.back().n_characters + unit.n_characters <=
                                             static_cast<std::size_t>(options.max_characters);
    if (starts.empty() || (!fits && starts.back().n_characters > 0)) {
      starts.push_back(unit);
    } else {
      starts.back().n_characters += unit.n_characters;
    }
  }

  int latest = segment.start;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool is_last = i + 1 == starts.size();
    const std::size_t end_token = is_last ? segment.tokens.size() : starts[i + 1].first_token;
    const std::size_t end_byte = is_last ? bytes.size() : starts[i + 1].begin;
    Segment piece;
    piece.start = latest;
    piece.end = is_last ? segment.end : std::clamp(segment.tokens[end_token].t0, latest, segment.end);
    piece.text = sanitize_utf8(std::string_view(bytes).substr(starts[i].begin, end_byte - starts[i].begin));
    piece.tokens.assign(segment.tokens.begin() + static_cast<std::ptrdiff_t>(starts[i].first_token),
                        segment.tokens.begin() + static_cast<std::ptrdiff_t>(end_token));
    piece.no_speech_probability = segment.no_speech_probability;
    piece.speaker_turn_next = is_last && segment.speaker_turn_next;
    latest = piece.end;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace speech
