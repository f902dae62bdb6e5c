// The rules of a grammar, checked once and brought into a form that can be walked. Knows no text syntax, no vocabulary
// and no model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace speech {

/// Kinds of elements; the numbers are those of whisper_gretype in whisper.h, any of which must be told from these.
enum class GrammarElementKind : std::uint32_t {  // NOLINT(performance-enum-size)
  kEnd = 0,                                      ///< of the rule; the last element and no other
  kAlternative = 1,                              ///< another alternative begins
  kRule = 2,                                     ///< the text of another rule
  kCharacter = 3,                                ///< one character of a set, which begins here
  kNotCharacter = 4,                             ///< one character that is not in the set that begins here
  kRangeEnd = 5,                                 ///< makes the character before it a range; inclusive
  kMoreCharacter = 6,                            ///< another character of the set
};

struct GrammarElement {
  GrammarElementKind kind = GrammarElementKind::kEnd;
  std::uint32_t value = 0;  ///< a code point or the index of a rule
};

using GrammarRules = std::vector<std::vector<GrammarElement>>;

/// Elements of all rules together, and rules: far above what a person writes, low enough for every walk below.
inline constexpr std::size_t kMaxGrammarElements = 65536;

/// What is wrong with the rules, and with which; rule is the start rule's index if no single one is to blame.
struct GrammarFault {
  std::size_t rule = 0;
  std::string text;  ///< continues "rule 'x' ": "refers to rule 9; there are 3"
};

/// A checked grammar. Characters are numbered by classes: two code points that no set tells apart are one class, so
/// that what follows works on small numbers, in the order of the code points. Read-only; copies are deep.
class Grammar {
 public:
  /// Classes first .. last.
  struct ClassRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  struct Symbol {
    enum class Kind : std::uint8_t { kEnd, kRule, kSet };
    Kind kind = Kind::kEnd;   ///< kEnd ends an alternative
    std::uint32_t index = 0;  ///< of the rule, or of the set
  };

  /// invalid_argument, naming the rule by its index, for: no rules, a start outside them, too many elements, an
  /// unfinished rule, an unknown kind, a reference to no rule, a range without a beginning or backwards, a value that
  /// is no code point, left recursion (direct, indirect, or behind what may be empty), a start that can never end or
  /// never gives any text. What is repeated may be empty: `(a?)*` is fine.
  static Result<Grammar> create(const GrammarRules& rules, std::size_t start);

  /// The same checks for those who can name the rule better.
  static std::optional<GrammarFault> find_fault(const GrammarRules& rules, std::size_t start);

  std::size_t start() const { return start_; }

  /// Places in symbols() at which the alternatives of a rule begin; those that could never end are left out.
  std::span<const std::uint32_t> alternatives(std::size_t rule) const {
    return std::span(alternatives_)
        .subspan(first_alternative_[rule], first_alternative_[rule + 1] - first_alternative_[rule]);
  }
  const Symbol& symbol(std::uint32_t position) const { return symbols_[position]; }

  /// Classes of a set: in order, apart from each other.
  std::span<const ClassRange> set(std::uint32_t index) const { return sets_[index]; }

  std::size_t n_classes() const { return boundaries_.size(); }

  /// The class of a code point.
  std::uint32_t class_of(char32_t character) const;

 private:
  friend class GrammarCompiler;
  std::size_t start_ = 0;
  std::vector<Symbol> symbols_;
  std::vector<std::uint32_t> alternatives_;
  std::vector<std::size_t> first_alternative_;  // by rule, and one beyond
  std::vector<std::vector<ClassRange>> sets_;
  std::vector<std::uint32_t> boundaries_;      // first code point of each class
  std::vector<std::uint32_t> class_of_ascii_;  // 128: nearly all that is asked
};

}  // namespace speech
