// Sets of stacks, their steps by a character, and characters that end in a later piece of text.
#include "decode/grammar_matcher.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "text/utf8.h"

namespace speech {
namespace {

constexpr std::uint64_t pair_key(std::uint32_t high, std::uint32_t low) {
  return (static_cast<std::uint64_t>(high) << 32U) | low;
}

/// FNV-1a over the numbers; equal hashes are told apart by their stacks.
std::uint64_t hash_of(std::span<const std::int32_t> stacks) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const std::int32_t stack : stacks) {
    hash = (hash ^ static_cast<std::uint32_t>(stack)) * 0x100000001B3ULL;
  }
  return hash;
}

/// The bytes of a part, and room for those that may follow.
struct Part {
  std::array<char, 5> bytes{};
  std::size_t n = 0;

  explicit Part(std::uint32_t part) {
    for (unsigned shift = 24; shift < 32; shift -= 8) {
      const std::uint32_t byte = (part >> shift) & 0xFFU;
      if (byte != 0) {  // no byte of a part is 0
        bytes[n++] = static_cast<char>(byte);
      }
    }
  }
  std::string_view text() const { return {bytes.data(), n}; }
};

/// The least or greatest character that begins with a part.
char32_t extreme(std::uint32_t unfinished, bool greatest) {
  Part part(unfinished);
  while (true) {
    // The second byte's range is narrower for some first bytes: try from outside inwards.
    bool found = false;
    for (int i = 0; i < 0x40 && !found; ++i) {
      part.bytes[part.n] = static_cast<char>(greatest ? 0xBF - i : 0x80 + i);
      const Utf8Step step = next_utf8({part.bytes.data(), part.n + 1}, 0);
      if (step.well_formed) {
        return step.character;
      }
      found = step.cut;
    }
    if (!found) {
      return 0;  // cannot be: a part begins some character
    }
    ++part.n;
  }
}

}  // namespace

GrammarMatcher::GrammarMatcher(Grammar grammar, const GrammarLimits& limits)
    : grammar_(std::move(grammar)), limits_(limits) {
  forget();
}

Result<GrammarMatcher> GrammarMatcher::create(Grammar grammar, const GrammarLimits& limits) {
  GrammarMatcher matcher(std::move(grammar), limits);
  matcher.begin();
  SPEECH_RETURN_IF_ERROR(matcher.status());
  return matcher;
}

void GrammarMatcher::forget() {
  nodes_.assign(1, {});
  seen_.assign(1, 0);
  n_closed_ = 0;
  stack_numbers_.clear();
  sets_.clear();
  set_numbers_.clear();
  steps_.clear();
  n_entries_ = 0;
}

GrammarState GrammarMatcher::begin() {
  const bool is_half_full =
      nodes_.size() > limits_.stacks / 2 || sets_.size() > limits_.sets / 2 || n_entries_ > limits_.entries / 2;
  if (is_half_full || !status_.is_ok()) {
    forget();  // also what was refused only because there was no room
  }
  status_ = Status::ok();
  n_steps_ = 0;
  waiting_.clear();
  add_rule(static_cast<std::uint32_t>(grammar_.start()), kEmptyStack);
  return {close(), 0};
}

bool GrammarMatcher::passed(bool limit_is_passed, const char* what) {
  if (limit_is_passed && status_.is_ok()) {
    status_ = Status(Code::kInvalidArgument, std::string("the grammar is too ambiguous or too deep: more than ") +
                                                 what + "; expected one that gives a text in fewer ways");
  }
  return limit_is_passed;
}

/// The stack with the symbol at `position` on top; if the alternative ends there, the stack below.
GrammarMatcher::Stack GrammarMatcher::stack_of(std::uint32_t position, Stack below) {
  if (grammar_.symbol(position).kind == Grammar::Symbol::Kind::kEnd) {
    return below;  // so a rule that ends with itself does not make stacks grow
  }
  const std::uint64_t key = pair_key(position, static_cast<std::uint32_t>(below));
  const auto [found, is_new] = stack_numbers_.try_emplace(key, static_cast<Stack>(nodes_.size()));
  if (is_new) {
    nodes_.push_back({position, below});
    seen_.push_back(0);
  }
  return found->second;
}

void GrammarMatcher::add_rule(std::uint32_t rule, Stack below) {
  for (const std::uint32_t begin : grammar_.alternatives(rule)) {
    waiting_.push_back(stack_of(begin, below));
  }
}

/// Replaces the rules on top of the waiting stacks by what they begin with; the number of the set that is left, kBroken
/// if there is none. Ends, because no rule comes back to itself with a higher stack: that would be left recursion.
std::int32_t GrammarMatcher::close() {
  ++n_closed_;
  std::vector<Stack> stacks;
  while (!waiting_.empty()) {
    const Stack stack = waiting_.back();
    waiting_.pop_back();
    if (seen_[static_cast<std::size_t>(stack)] == n_closed_) {
      continue;
    }
    seen_[static_cast<std::size_t>(stack)] = n_closed_;
    ++n_steps_;
    if (passed(nodes_.size() > limits_.stacks || n_steps_ > limits_.steps, "the limit of work for one text") ||
        passed(stacks.size() >= limits_.places || waiting_.size() > 4 * kMaxGrammarElements,
               "the limit of ways to read it")) {
      waiting_.clear();
      return GrammarState::kBroken;
    }
    if (stack == kEmptyStack) {
      stacks.push_back(stack);
      continue;
    }
    const Node node = nodes_[static_cast<std::size_t>(stack)];
    const Grammar::Symbol symbol = grammar_.symbol(node.position);
    if (symbol.kind == Grammar::Symbol::Kind::kSet) {
      stacks.push_back(stack);
    } else {
      add_rule(symbol.index, stack_of(node.position + 1, node.below));
    }
  }
  std::ranges::sort(stacks);
  return set_of(std::move(stacks));
}

std::int32_t GrammarMatcher::set_of(std::vector<Stack> stacks) {
  if (stacks.empty()) {
    return GrammarState::kBroken;
  }
  const std::uint64_t hash = hash_of(stacks);
  const auto [first, last] = set_numbers_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (sets_[static_cast<std::size_t>(it->second)].stacks == stacks) {
      return it->second;
    }
  }
  PlaceSet set;
  std::vector<Grammar::ClassRange> ranges;
  for (const Stack stack : stacks) {
    if (stack != kEmptyStack) {
      const auto of_stack = grammar_.set(grammar_.symbol(nodes_[static_cast<std::size_t>(stack)].position).index);
      ranges.insert(ranges.end(), of_stack.begin(), of_stack.end());
    }
  }
  n_steps_ += ranges.size();
  std::ranges::sort(ranges, {}, &Grammar::ClassRange::first);
  for (const Grammar::ClassRange& range : ranges) {
    if (!set.allowed.empty() && range.first <= set.allowed.back().last + 1) {
      set.allowed.back().last = std::max(set.allowed.back().last, range.last);
    } else {
      set.allowed.push_back(range);
    }
  }
  set.stacks = std::move(stacks);
  if (grammar_.n_classes() <= kFewClasses) {
    set.next.assign(grammar_.n_classes(), kUnknown);
  }
  n_entries_ += set.stacks.size() + set.allowed.size() + set.next.size();
  if (passed(n_entries_ > limits_.entries || sets_.size() >= limits_.sets, "the limit of places for one text")) {
    return GrammarState::kBroken;
  }
  const auto number = static_cast<std::int32_t>(sets_.size());
  sets_.push_back(std::move(set));
  set_numbers_.emplace(hash, number);
  return number;
}

/// Where a character leads; found once.
std::int32_t GrammarMatcher::step(std::int32_t set, std::uint32_t character_class) {
  std::vector<std::int32_t>& row = sets_[static_cast<std::size_t>(set)].next;
  if (!row.empty()) {
    if (row[character_class] == kUnknown) {
      const std::int32_t next = find_step(set, character_class);  // may move the sets
      sets_[static_cast<std::size_t>(set)].next[character_class] = next;
      return next;
    }
    return row[character_class];
  }
  const std::uint64_t key = pair_key(static_cast<std::uint32_t>(set), character_class);
  if (const auto found = steps_.find(key); found != steps_.end()) {
    return found->second;
  }
  const std::int32_t next = find_step(set, character_class);
  if (steps_.size() >= limits_.entries) {
    steps_.clear();  // only found out already, never lost
  }
  steps_.emplace(key, next);
  return next;
}

std::int32_t GrammarMatcher::find_step(std::int32_t set, std::uint32_t character_class) {
  const PlaceSet& places = sets_[static_cast<std::size_t>(set)];
  const auto after = std::ranges::upper_bound(places.allowed, character_class, {}, &Grammar::ClassRange::first);
  if (after == places.allowed.begin() || std::prev(after)->last < character_class) {
    return GrammarState::kBroken;
  }
  n_steps_ += places.stacks.size();
  waiting_.clear();
  for (const Stack stack : places.stacks) {
    if (stack == kEmptyStack) {
      continue;
    }
    const Node node = nodes_[static_cast<std::size_t>(stack)];
    const auto ranges = grammar_.set(grammar_.symbol(node.position).index);
    const auto beyond = std::ranges::upper_bound(ranges, character_class, {}, &Grammar::ClassRange::first);
    if (beyond != ranges.begin() && std::prev(beyond)->last >= character_class) {
      waiting_.push_back(stack_of(node.position + 1, node.below));
    }
  }
  return close();
}

/// Whether a character that begins with the part may come.
bool GrammarMatcher::allows_part(std::int32_t set, std::uint32_t part) const {
  const std::uint32_t least = grammar_.class_of(extreme(part, false));
  const std::uint32_t greatest = grammar_.class_of(extreme(part, true));
  const auto& allowed = sets_[static_cast<std::size_t>(set)].allowed;
  const auto after = std::ranges::upper_bound(allowed, greatest, {}, &Grammar::ClassRange::first);
  return after != allowed.begin() && std::prev(after)->last >= least;
}

GrammarState GrammarMatcher::after(GrammarState state, std::string_view bytes) {
  constexpr GrammarState kNone = {GrammarState::kBroken, 0};
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (state.is_broken()) {
      return kNone;
    }
    char32_t character = byte;
    if (state.part != 0 || byte >= 0x80) {
      if (byte < 0x80) {
        return kNone;
      }
      state.part = (state.part << 8U) | byte;
      const Part part(state.part);
      const Utf8Step read = next_utf8(part.text(), 0);
      if (read.cut && allows_part(state.set, state.part)) {
        continue;
      }
      if (!read.well_formed) {
        return kNone;
      }
      character = read.character;
      state.part = 0;
    }
    state.set = step(state.set, grammar_.class_of(character));
  }
  return state.is_broken() ? kNone : state;
}

bool GrammarMatcher::is_complete(GrammarState state) const {
  return !state.is_broken() && state.part == 0 && sets_[static_cast<std::size_t>(state.set)].holds_end();
}

bool GrammarMatcher::is_finished(GrammarState state) const {
  return is_complete(state) && sets_[static_cast<std::size_t>(state.set)].stacks.size() == 1;
}

}  // namespace speech
