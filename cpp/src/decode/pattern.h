// Regular expressions over characters, of ECMAScript's syntax, in bounded time and space whatever they are. Knows no
// tokens. (The standard library's would backtrack without end, and use the stack as deeply as a pattern asks.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "decode/character_ranges.h"

namespace speech {

inline constexpr std::size_t kMaxPatternBytes = 4096;
inline constexpr std::size_t kMaxPatternInstructions = 16384;
inline constexpr int kMaxPatternDepth = 64;  ///< of groups
inline constexpr int kMaxLookahead = 4;      ///< of look-aheads within each other

/// What an instruction of a compiled pattern does.
enum class PatternStep : std::uint8_t {
  kSet,    ///< takes a character of set `a`
  kSplit,  ///< goes on at `a` and at `b`
  kBegin,  ///< this and the next three: goes on at `a` if the place is such
  kEnd,
  kBoundary,
  kNoBoundary,
  kAhead,     ///< goes on at `a` if what stands behind this matches here
  kNotAhead,  ///< goes on at `a` if it does not
  kMatch,
};

/// A compiled pattern. Alternatives, groups, * + ? {m} {m,} {m,n} (a ? behind them changes nothing, for only whole
/// texts match), . ^ $ \b \B, look-aheads (?= and (?!, classes with ranges, negation and [:alpha:], and the escapes \d
/// \D \w \W \s \S
/// \t \n \r \f \v \0 \cX \xHH \uHHHH. \w \d \s and named classes are those of ASCII. Back-references are unsupported:
/// with them no bound holds.
class Pattern {
 public:
  /// invalid_argument, or unsupported, with the character's place (from 1) in the pattern and what was expected.
  static Result<Pattern> compile(std::string_view pattern);

  /// One step of a machine that is in many places at once. Source: Thompson 1968.
  struct Instruction {
    PatternStep kind = PatternStep::kMatch;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };

  const std::vector<Instruction>& instructions() const { return instructions_; }
  bool set_holds(std::uint32_t set, char32_t character) const { return holds(sets_[set], character); }

 private:
  friend class PatternCompiler;
  std::vector<Instruction> instructions_;
  std::vector<CharacterRanges> sets_;  // ascending, apart
};

/// Runs a pattern over texts; keeps its memory between them. One thread at a time; the pattern must outlive it.
class PatternMatcher {
 public:
  /// max_steps: of all texts together.
  PatternMatcher(const Pattern& pattern, std::size_t max_steps);

  /// Whether the whole text matches. Time: length times instructions, for each level of look-ahead. False once the
  /// steps are used up.
  bool matches(std::u32string_view text);

  bool is_exhausted() const { return n_left_ == 0; }

 private:
  /// Places in the machine, of one level of look-ahead.
  struct Level {
    std::vector<std::uint32_t> now;
    std::vector<std::uint32_t> next;
    std::vector<std::uint32_t> waiting;
    std::vector<std::uint64_t> seen;  // by instruction: the last moment at which it was reached
    std::uint64_t moment = 0;         // a place in a text
  };

  bool run(std::uint32_t begin, std::size_t at, std::size_t level, bool to_the_end);
  void reach(std::uint32_t instruction, std::size_t at, std::size_t level, std::vector<std::uint32_t>& places);
  bool at_boundary(std::size_t at) const;

  const Pattern& pattern_;
  std::size_t n_left_;
  std::u32string_view text_;
  std::vector<Level> levels_;
};

}  // namespace speech
