// Reads elements into alternatives and sets, looks for what cannot work, and numbers the characters.
#include "decode/grammar.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "decode/character_ranges.h"
#include "decode/grammar_analysis.h"

namespace speech {
namespace {

using Kind = GrammarElementKind;
using Symbol = Grammar::Symbol;

constexpr std::size_t kAscii = 128;

std::string shown(std::size_t value) { return std::to_string(value); }

}  // namespace

/// Builds a Grammar, or stops at the first fault.
class GrammarCompiler {
 public:
  std::optional<GrammarFault> run(const GrammarRules& rules, std::size_t start) {
    grammar_.start_ = start;
    if (rules.empty()) {
      return GrammarFault{0, "is missing: the grammar has no rules"};
    }
    if (start >= rules.size()) {
      return GrammarFault{start, "is the start, but there are " + shown(rules.size()) + " rules"};
    }
    std::size_t n_elements = 0;
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      n_elements += rules[rule].size();
      if (n_elements > kMaxGrammarElements || rule >= kMaxGrammarElements) {
        return GrammarFault{rule, "makes the grammar too large; expected at most " + shown(kMaxGrammarElements) +
                                      " elements in all rules together"};
      }
      if (auto text = read_rule(rules[rule], rules.size())) {
        return GrammarFault{rule, *std::move(text)};
      }
    }
    first_alternative_.push_back(alternatives_.size());
    const GrammarAnalysis analysis(grammar_.symbols_, alternatives_, first_alternative_);
    if (const std::optional<std::size_t> rule = analysis.left_recursive_rule()) {
      return GrammarFault{*rule, "refers to itself before any character (left recursion); expected a character first"};
    }
    if (!analysis.can_end(start)) {
      return GrammarFault{start, "can never end: each of its alternatives leads back to itself"};
    }
    keep_what_can_end(analysis);
    if (!gives_text()) {
      return GrammarFault{start, "gives no text; expected at least one character"};
    }
    number_characters();
    return std::nullopt;
  }

  Grammar take() { return std::move(grammar_); }

 private:
  /// Appends the rule's alternatives; a text if it is malformed.
  std::optional<std::string> read_rule(const std::vector<GrammarElement>& rule, std::size_t n_rules) {
    if (rule.empty() || rule.back().kind != Kind::kEnd) {
      return "has no end; expected an element of kind END as its last";
    }
    first_alternative_.push_back(alternatives_.size());
    begin_alternative();
    for (std::size_t i = 0; i < rule.size();) {
      const GrammarElement& element = rule[i];
      switch (element.kind) {
        case Kind::kEnd:
          if (i + 1 != rule.size()) {
            return "has elements after its end";
          }
          grammar_.symbols_.push_back({});
          ++i;
          break;
        case Kind::kAlternative:
          grammar_.symbols_.push_back({});
          begin_alternative();
          ++i;
          break;
        case Kind::kRule:
          if (element.value >= n_rules) {
            return "refers to rule " + shown(element.value) + ", but there are " + shown(n_rules);
          }
          grammar_.symbols_.push_back({Symbol::Kind::kRule, element.value});
          ++i;
          break;
        case Kind::kCharacter:
        case Kind::kNotCharacter:
          if (auto text = read_set(rule, i)) {
            return text;
          }
          break;
        case Kind::kRangeEnd: return "has the end of a range without its beginning";
        case Kind::kMoreCharacter: return "has a further character of a set that never began";
        default: return "has an element of the unknown kind " + shown(static_cast<std::size_t>(element.kind));
      }
    }
    return std::nullopt;
  }

  /// Reads the set that begins at `i` and moves there behind it.
  std::optional<std::string> read_set(const std::vector<GrammarElement>& rule, std::size_t& i) {
    const bool negated = rule[i].kind == Kind::kNotCharacter;
    CharacterRanges ranges;
    do {
      CharacterRange range = {rule[i].value, rule[i].value};
      ++i;
      if (rule[i].kind == Kind::kRangeEnd) {  // the last element is END, so there is one more
        range.last = rule[i].value;
        ++i;
      }
      if (range.first > kLastCharacter || range.last > kLastCharacter) {
        return "has the character " + shown(std::max(range.first, range.last)) + "; code points end at 1114111";
      }
      if (range.last < range.first) {
        return "has a backward range, " + shown(range.first) + " to " + shown(range.last);
      }
      ranges.push_back(range);
    } while (rule[i].kind == Kind::kMoreCharacter);
    grammar_.symbols_.push_back({Symbol::Kind::kSet, static_cast<std::uint32_t>(sets_.size())});
    sets_.push_back(negated ? complement(std::move(ranges)) : joined(std::move(ranges)));
    return std::nullopt;
  }

  void begin_alternative() { alternatives_.push_back(static_cast<std::uint32_t>(grammar_.symbols_.size())); }

  /// Whoever follows the alternatives that are kept never gets to a place from which no text ends.
  void keep_what_can_end(const GrammarAnalysis& analysis) {
    for (std::size_t rule = 0; rule + 1 < first_alternative_.size(); ++rule) {
      grammar_.first_alternative_.push_back(grammar_.alternatives_.size());
      for (std::size_t i = first_alternative_[rule]; i < first_alternative_[rule + 1]; ++i) {
        if (analysis.alternative_can_end(i)) {
          grammar_.alternatives_.push_back(alternatives_[i]);
        }
      }
    }
    grammar_.first_alternative_.push_back(grammar_.alternatives_.size());
  }

  /// Whether a set that holds anything can be reached from the start.
  bool gives_text() const {
    std::vector<bool> seen(first_alternative_.size(), false);
    std::vector<std::size_t> waiting = {grammar_.start_};
    seen[grammar_.start_] = true;
    while (!waiting.empty()) {
      const std::size_t rule = waiting.back();
      waiting.pop_back();
      for (std::uint32_t at : grammar_.alternatives(rule)) {
        for (; grammar_.symbols_[at].kind != Symbol::Kind::kEnd; ++at) {
          const Symbol symbol = grammar_.symbols_[at];
          if (symbol.kind == Symbol::Kind::kSet) {
            if (!sets_[symbol.index].empty()) {
              return true;
            }
          } else if (!seen[symbol.index]) {
            seen[symbol.index] = true;
            waiting.push_back(symbol.index);
          }
        }
      }
    }
    return false;
  }

  void number_characters() {
    std::vector<std::uint32_t>& boundaries = grammar_.boundaries_;
    boundaries = {0};
    for (const CharacterRanges& ranges : sets_) {
      for (const CharacterRange& range : ranges) {
        boundaries.push_back(range.first);
        boundaries.push_back(range.last + 1);
      }
    }
    std::ranges::sort(boundaries);
    boundaries.erase(std::ranges::unique(boundaries).begin(), boundaries.end());
    for (std::uint32_t character = 0; character < kAscii; ++character) {
      grammar_.class_of_ascii_.push_back(search_class(character));
    }
    for (const CharacterRanges& ranges : sets_) {
      std::vector<Grammar::ClassRange>& classes = grammar_.sets_.emplace_back();
      for (const CharacterRange& range : ranges) {
        classes.push_back({search_class(range.first), search_class(range.last)});
      }
    }
  }

  std::uint32_t search_class(std::uint32_t character) const {
    const auto after = std::ranges::upper_bound(grammar_.boundaries_, character);
    return static_cast<std::uint32_t>(std::distance(grammar_.boundaries_.begin(), after) - 1);
  }

  Grammar grammar_;
  std::vector<std::uint32_t> alternatives_;  // of all rules, before any is left out
  std::vector<std::size_t> first_alternative_;
  std::vector<CharacterRanges> sets_;
};

std::optional<GrammarFault> Grammar::find_fault(const GrammarRules& rules, std::size_t start) {
  return GrammarCompiler().run(rules, start);
}

Result<Grammar> Grammar::create(const GrammarRules& rules, std::size_t start) {
  GrammarCompiler compiler;
  if (const std::optional<GrammarFault> fault = compiler.run(rules, start)) {
    return Status(Code::kInvalidArgument, "grammar rule " + shown(fault->rule) + " " + fault->text);
  }
  return compiler.take();
}

std::uint32_t Grammar::class_of(char32_t character) const {
  if (character < kAscii) {
    return class_of_ascii_[character];
  }
  const auto after = std::ranges::upper_bound(boundaries_, static_cast<std::uint32_t>(character));
  return static_cast<std::uint32_t>(std::distance(boundaries_.begin(), after) - 1);
}

}  // namespace speech
