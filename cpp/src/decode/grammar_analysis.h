// What can be said of a grammar without any text: which rules may be empty, which can end, which are left-recursive.
// Linear in the size of the grammar, and without recursion: rules come from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decode/grammar.h"

namespace speech {

class GrammarAnalysis {
 public:
  /// symbols: of all alternatives, one after the other. alternatives: where each begins. first_alternative: by rule,
  /// and one beyond. All must outlive the analysis.
  GrammarAnalysis(std::span<const Grammar::Symbol> symbols, std::span<const std::uint32_t> alternatives,
                  std::span<const std::size_t> first_alternative);

  /// Whether some finite text follows the rule, or the alternative.
  bool can_end(std::size_t rule) const { return rule_ends_[rule]; }
  bool alternative_can_end(std::size_t alternative) const { return alternative_ends_[alternative]; }

  /// A rule that can come back to itself before any character was read. Where that happens only by repeating, as the
  /// last symbol and behind others that may all be empty, it is harmless: a walk meets the same place again and stops.
  std::optional<std::size_t> left_recursive_rule() const;

 private:
  /// A reference that may be reached before any character.
  struct Edge {
    std::size_t to = 0;
    bool repeats = false;  // last, and not first: see left_recursive_rule()
  };
  struct Solution {
    std::vector<bool> rules;
    std::vector<bool> alternatives;
  };

  std::size_t n_rules() const { return first_alternative_.size() - 1; }
  /// Rules and alternatives that hold if all rules in them do, where a set counts as `sets_hold`.
  Solution solve(bool sets_hold) const;
  std::vector<std::vector<Edge>> leftmost_edges() const;

  std::span<const Grammar::Symbol> symbols_;
  std::span<const std::uint32_t> alternatives_;
  std::span<const std::size_t> first_alternative_;
  std::vector<bool> rule_ends_;
  std::vector<bool> alternative_ends_;
  std::vector<bool> may_be_empty_;
};

}  // namespace speech
