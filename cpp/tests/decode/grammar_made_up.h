// Grammars by hand for tests: elements, and characters in single quotes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "decode/grammar.h"
#include "decode/grammar_matcher.h"

namespace speech::testing {

using Kind = GrammarElementKind;
using Rule = std::vector<GrammarElement>;

inline GrammarElement end() { return {Kind::kEnd, 0}; }
inline GrammarElement alternative() { return {Kind::kAlternative, 0}; }
inline GrammarElement rule(std::uint32_t index) { return {Kind::kRule, index}; }
inline GrammarElement one(char32_t character) { return {Kind::kCharacter, character}; }
inline GrammarElement none_of(char32_t character) { return {Kind::kNotCharacter, character}; }
inline GrammarElement to(char32_t character) { return {Kind::kRangeEnd, character}; }
inline GrammarElement more(char32_t character) { return {Kind::kMoreCharacter, character}; }

/// The characters one after the other, without an end.
inline Rule letters(std::string_view text) {
  Rule elements;
  for (const char c : text) {
    elements.push_back(one(static_cast<unsigned char>(c)));
  }
  return elements;
}

/// Parts of a rule, joined and ended.
inline Rule joined(const std::vector<Rule>& parts) {
  Rule all;
  for (const Rule& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  all.push_back(end());
  return all;
}

inline GrammarMatcher matcher_of(const GrammarRules& rules, const GrammarLimits& limits = {}) {
  return GrammarMatcher::create(Grammar::create(rules, 0).value(), limits).value();
}

/// What a grammar says of a text from its beginning.
struct Verdict {
  bool goes_on = false;  // some text of the grammar begins so
  bool is_whole = false;
  bool is_finished = false;
};

inline Verdict verdict(GrammarMatcher& matcher, std::string_view text) {
  const GrammarState state = matcher.after(matcher.begin(), text);
  return {!state.is_broken(), matcher.is_complete(state), matcher.is_finished(state)};
}

inline bool goes_on(const GrammarRules& rules, std::string_view text) {
  GrammarMatcher matcher = matcher_of(rules);
  return verdict(matcher, text).goes_on;
}

inline bool is_whole(const GrammarRules& rules, std::string_view text) {
  GrammarMatcher matcher = matcher_of(rules);
  return verdict(matcher, text).is_whole;
}

}  // namespace speech::testing
