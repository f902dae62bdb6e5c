// Grammars as text, GBNF, into the elements of whisper.h. Knows no model and no core: only that header, and the checks
// of rules in decode/grammar.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "whisper.h"

namespace speech {

inline constexpr std::size_t kMaxGrammarTextBytes = std::size_t{1} << 20U;
inline constexpr int kMaxGrammarDepth = 200;             ///< of groups in each other: they are read by recursion
inline constexpr unsigned kMaxGrammarRepetition = 1000;  ///< m and n of {m,n}

struct GrammarText {
  std::vector<std::vector<whisper_grammar_element>> rules;  // each ends with END
  std::size_t start_rule = 0;
};

/// Reads rules, one after the other: name ::= alternatives. An alternative is a sequence of "text", [classes],
/// [^negated ones], . (any character), names and (groups), each with * + ? {m} {m,} {m,n} behind it if it repeats.
/// Escapes: \n \r
/// \t \\ \" \[ \] \- \^ \xHH \uHHHH \UHHHHHHHH. # begins a comment. A rule goes on in the next line inside a group,
/// behind or before a |, and behind ::=.
///
/// start_rule must be among the names. bad_format, with line and column (both from 1, in characters) and what was
/// expected, for: what is malformed, no text, broken UTF-8, a name without a rule or with two, left recursion, a
/// grammar that cannot end, and what passes the limits above or those of decode/grammar.h.
Result<GrammarText> parse_grammar(std::string_view text, std::string_view start_rule);

}  // namespace speech
