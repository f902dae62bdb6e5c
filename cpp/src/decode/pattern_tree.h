// A pattern as it was read: a tree of what follows what. Knows the syntax, not how it is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "decode/character_ranges.h"
#include "decode/pattern.h"

namespace speech {

struct PatternTree {
  static constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

  struct Node {
    enum class Kind : std::uint8_t { kSet, kSequence, kEither, kRepeat, kPlace, kAhead };
    Kind kind = Kind::kSequence;
    std::uint32_t set = 0;                    // of kSet
    std::vector<std::size_t> parts = {};      // nodes; kRepeat and kAhead have one
    std::uint32_t least = 0;                  // of kRepeat
    std::uint32_t most = 0;                   // of kRepeat; kUnbounded is no limit
    PatternStep place = PatternStep::kMatch;  // of kPlace and kAhead
  };

  std::size_t root = 0;
  std::vector<Node> nodes;
  std::vector<CharacterRanges> sets;  // ascending, apart
};

/// Errors as Pattern::compile().
Result<PatternTree> parse_pattern(std::string_view pattern);

}  // namespace speech
