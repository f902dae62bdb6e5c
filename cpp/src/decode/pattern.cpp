// The machine that a pattern becomes, run over a text in all its places at once.
#include "decode/pattern.h"

#include <algorithm>
#include <utility>

namespace speech {
namespace {

using Kind = PatternStep;

bool is_word(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9') || c == U'_';
}

}  // namespace

PatternMatcher::PatternMatcher(const Pattern& pattern, std::size_t max_steps)
    : pattern_(pattern), n_left_(max_steps), levels_(static_cast<std::size_t>(kMaxLookahead) + 1) {
  for (Level& level : levels_) {
    level.seen.assign(pattern.instructions().size(), 0);
  }
}

bool PatternMatcher::matches(std::u32string_view text) {
  text_ = text;
  return run(0, 0, 0, true);
}

bool PatternMatcher::at_boundary(std::size_t at) const {
  const bool before = at > 0 && is_word(text_[at - 1]);
  const bool behind = at < text_.size() && is_word(text_[at]);
  return before != behind;
}

/// Adds to `places` the sets and matches that are reached from an instruction without taking a character.
void PatternMatcher::reach(std::uint32_t instruction, std::size_t at, std::size_t level,
                           std::vector<std::uint32_t>& places) {
  Level& own = levels_[level];
  own.waiting.push_back(instruction);
  while (!own.waiting.empty() && n_left_ > 0) {
    const std::uint32_t index = own.waiting.back();
    own.waiting.pop_back();
    if (own.seen[index] == own.moment) {
      continue;
    }
    own.seen[index] = own.moment;
    --n_left_;
    const Pattern::Instruction& step = pattern_.instructions()[index];
    bool goes_on = false;
    switch (step.kind) {
      case Kind::kSet:
      case Kind::kMatch: places.push_back(index); break;
      case Kind::kSplit:
        own.waiting.push_back(step.b);
        goes_on = true;
        break;
      case Kind::kBegin: goes_on = at == 0; break;
      case Kind::kEnd: goes_on = at == text_.size(); break;
      case Kind::kBoundary: goes_on = at_boundary(at); break;
      case Kind::kNoBoundary: goes_on = !at_boundary(at); break;
      case Kind::kAhead:
      case Kind::kNotAhead: goes_on = run(index + 1, at, level + 1, false) == (step.kind == Kind::kAhead); break;
    }
    if (goes_on) {
      own.waiting.push_back(step.a);
    }
  }
  own.waiting.clear();
}

/// Whether the text from `at` on, or a beginning of it, matches from an instruction on.
bool PatternMatcher::run(std::uint32_t begin, std::size_t at, std::size_t level, bool to_the_end) {
  Level& own = levels_[level];
  own.now.clear();
  ++own.moment;
  reach(begin, at, level, own.now);
  for (;; ++at) {
    const bool matches = std::ranges::any_of(
        own.now, [&](std::uint32_t index) { return pattern_.instructions()[index].kind == Kind::kMatch; });
    if (matches && (!to_the_end || at == text_.size())) {
      return n_left_ > 0;
    }
    if (at == text_.size() || own.now.empty() || n_left_ == 0) {
      return false;
    }
    own.next.clear();
    ++own.moment;
    for (const std::uint32_t index : own.now) {
      const Pattern::Instruction& step = pattern_.instructions()[index];
      if (step.kind == Kind::kSet && pattern_.set_holds(step.a, text_[at])) {
        reach(index + 1, at + 1, level, own.next);
      }
    }
    std::swap(own.now, own.next);
  }
}

}  // namespace speech
