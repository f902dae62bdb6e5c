// Follows text through a grammar, byte by byte, for any number of candidates at once. Knows no vocabulary and no model.
//
// A place in a grammar is a stack of what is still to come; a text may be at many places at once. Stacks share their
// lower parts, and each distinct set of places is kept once and has a number, so the walk over a text is that over the
// states of an automaton that is made as far as texts get: a candidate's state is two numbers, and what one candidate
// found out is known to all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "decode/grammar.h"

namespace speech {

/// Where a text is in a grammar; copied freely. Of one GrammarMatcher, until its next begin().
struct GrammarState {
  std::int32_t set = 0;    ///< number of the set of places; kBroken after text that the grammar does not give
  std::uint32_t part = 0;  ///< bytes of a character that has not ended, the last one lowest

  static constexpr std::int32_t kBroken = -1;
  bool is_broken() const { return set == kBroken; }
  friend bool operator==(const GrammarState&, const GrammarState&) = default;
};

/// Limits of one walk. They are counts, not times, so that a result does not depend on the machine.
struct GrammarLimits {
  std::size_t places = 4096;        ///< of one text: ways to read it so far
  std::size_t steps = 1U << 26U;    ///< work between two begin(), in places looked at: about a second
  std::size_t stacks = 1U << 18U;   ///< kept
  std::size_t sets = 1U << 15U;     ///< kept
  std::size_t entries = 1U << 20U;  ///< of all sets kept: 4 MiB
};

/// One thread at a time. Allocates when a text gets to places where none was before, within the limits.
class GrammarMatcher {
 public:
  /// invalid_argument if the grammar passes a limit before any text.
  static Result<GrammarMatcher> create(Grammar grammar, const GrammarLimits& limits = {});

  /// The state before any text. States from before are void: what was kept for them may be forgotten.
  GrammarState begin();

  /// The state after more bytes; a character may end in a later call. Broken if the grammar gives no such text, the
  /// bytes are not UTF-8, or a limit was passed: status() tells which.
  GrammarState after(GrammarState state, std::string_view bytes);

  /// Whether some text of the grammar goes on with the bytes. A broken state allows nothing.
  bool allows(GrammarState state, std::string_view bytes) { return !after(state, bytes).is_broken(); }

  /// Whether the text may end here.
  bool is_complete(GrammarState state) const;

  /// Whether it must: nothing may follow.
  bool is_finished(GrammarState state) const;

  /// Ok, or the first limit that was passed since begin(). Texts beyond it count as not given by the grammar.
  const Status& status() const { return status_; }

  /// Sets of places kept, for tests.
  std::size_t n_sets() const { return sets_.size(); }

 private:
  using Stack = std::int32_t;
  static constexpr Stack kEmptyStack = 0;
  static constexpr std::int32_t kUnknown = -2;
  static constexpr std::size_t kFewClasses = 128;  // so many have a row for each set; more, which is rare, a hash table

  /// A symbol still to come, and the stack below it.
  struct Node {
    std::uint32_t position = 0;
    Stack below = kEmptyStack;
  };
  /// A set of places: stacks whose top is a set of characters, or the empty stack, and what may come at them.
  struct PlaceSet {
    std::vector<Stack> stacks;                 // ascending
    std::vector<Grammar::ClassRange> allowed;  // ascending, apart
    std::vector<std::int32_t> next;            // by class: where it leads, or kUnknown; empty where classes are many
    bool holds_end() const { return !stacks.empty() && stacks.front() == kEmptyStack; }
  };

  GrammarMatcher(Grammar grammar, const GrammarLimits& limits);

  void forget();
  Stack stack_of(std::uint32_t position, Stack below);
  void add_rule(std::uint32_t rule, Stack below);
  std::int32_t close();
  std::int32_t set_of(std::vector<Stack> stacks);
  std::int32_t step(std::int32_t set, std::uint32_t character_class);
  std::int32_t find_step(std::int32_t set, std::uint32_t character_class);
  bool allows_part(std::int32_t set, std::uint32_t part) const;
  bool passed(bool limit_is_passed, const char* what);

  Grammar grammar_;
  GrammarLimits limits_;
  Status status_;
  std::size_t n_steps_ = 0;
  std::size_t n_entries_ = 0;

  std::vector<Node> nodes_;  // by Stack; the first is the empty one
  std::unordered_map<std::uint64_t, Stack> stack_numbers_;
  std::vector<PlaceSet> sets_;
  std::unordered_multimap<std::uint64_t, std::int32_t> set_numbers_;  // by a hash of the stacks
  std::unordered_map<std::uint64_t, std::int32_t> steps_;             // by set and class, for many classes

  // Of close():
  std::vector<Stack> waiting_;
  std::vector<std::uint32_t> seen_;  // by Stack: number of the last close() that met it
  std::uint32_t n_closed_ = 0;
};

}  // namespace speech
