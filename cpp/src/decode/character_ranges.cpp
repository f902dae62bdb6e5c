// Joining and turning round, by one pass over sorted ranges.
#include "decode/character_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace speech {

CharacterRanges joined(CharacterRanges ranges) {
  std::ranges::sort(ranges, {}, &CharacterRange::first);
  CharacterRanges out;
  for (const CharacterRange& range : ranges) {
    if (!out.empty() && range.first <= out.back().last + 1) {
      out.back().last = std::max(out.back().last, range.last);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

CharacterRanges complement(CharacterRanges ranges) {
  CharacterRanges rest;
  char32_t next = 0;
  for (const CharacterRange& range : joined(std::move(ranges))) {
    if (range.first > next) {
      rest.push_back({next, range.first - 1});
    }
    next = range.last + 1;
  }
  if (next <= kLastCharacter) {
    rest.push_back({next, kLastCharacter});
  }
  return rest;
}

bool holds(const CharacterRanges& ranges, char32_t character) {
  const auto after = std::ranges::upper_bound(ranges, character, {}, &CharacterRange::first);
  return after != ranges.begin() && std::prev(after)->last >= character;
}

}  // namespace speech
