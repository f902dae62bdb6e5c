// Sets of code points as ranges: what grammars and patterns are made of.
#pragma once

#include <vector>

namespace speech {

inline constexpr char32_t kLastCharacter = 0x10FFFF;

/// Code points first .. last.
struct CharacterRange {
  char32_t first = 0;
  char32_t last = 0;
};

using CharacterRanges = std::vector<CharacterRange>;

/// The same set with its ranges ascending and apart.
CharacterRanges joined(CharacterRanges ranges);

/// All code points that are not in the set, ascending and apart.
CharacterRanges complement(CharacterRanges ranges);

/// Whether a set holds a character; its ranges must be ascending and apart.
bool holds(const CharacterRanges& ranges, char32_t character);

}  // namespace speech
