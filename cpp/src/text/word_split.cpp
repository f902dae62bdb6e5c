// GPT-2's pattern written out: what each alternative takes is decided by the class of one or two characters.
#include "text/word_split.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/generated/unicode_ranges.h"
#include "text/utf8.h"

namespace speech {
namespace {

enum class CharacterClass : std::uint8_t { kLetter, kNumber, kSpace, kOther };

template <typename Ranges>
bool contains(const Ranges& ranges, char32_t character) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), character,
                                      [](char32_t value, const UnicodeRange& range) { return value < range.first; });
  return after != ranges.begin() && character <= std::prev(after)->last;
}

/// Unicode's White_Space property, which is what \s means in the patterns of the field's tokenizers.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

CharacterClass classify(const Utf8Step& step) {
  if (!step.well_formed) {
    return CharacterClass::kOther;
  }
  if (is_space(step.character)) {
    return CharacterClass::kSpace;
  }
  if (contains(kLetterRanges, step.character)) {
    return CharacterClass::kLetter;
  }
  return contains(kNumberRanges, step.character) ? CharacterClass::kNumber : CharacterClass::kOther;
}

/// Where the run of characters of one class that begins at `at` ends, and where its last character begins.
struct Run {
  std::size_t end;
  std::size_t last;
};

Run run_of(std::string_view text, std::size_t at, CharacterClass wanted) {
  Run run{at, at};
  while (run.end < text.size()) {
    const Utf8Step step = next_utf8(text, run.end);
    if (classify(step) != wanted) {
      break;
    }
    run.last = run.end;
    run.end += step.bytes;
  }
  return run;
}

constexpr std::array<std::string_view, 7> kContractions = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

}  // namespace

std::size_t word_bytes(std::string_view text, std::size_t at) {
  for (const std::string_view contraction : kContractions) {
    if (text.substr(at).starts_with(contraction)) {
      return contraction.size();
    }
  }
  if (text[at] == ' ' && at + 1 < text.size()) {
    const CharacterClass next = classify(next_utf8(text, at + 1));
    if (next != CharacterClass::kSpace) {
      return run_of(text, at + 1, next).end - at;
    }
  }
  const CharacterClass first = classify(next_utf8(text, at));
  const Run run = run_of(text, at, first);
  // The last of several spaces before a word is left to that word: \s+(?!\S).
  const bool leaves_last = first == CharacterClass::kSpace && run.end < text.size() && run.last > at;
  return (leaves_last ? run.last : run.end) - at;
}

}  // namespace speech
