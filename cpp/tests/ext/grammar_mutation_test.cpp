// The fuzzer's check over damaged grammars, the same ones in every run.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "text/mutated_text.h"

// The check itself, which aborts.
#include "../../fuzz/grammar.cpp"

namespace speech {
namespace {

using namespace std::string_literals;

TEST(GrammarMutation, DamagedGrammarsAreFollowedOrRefusedWithAText) {
  const std::vector<std::string> grammars = {
      "root ::= \" yes\" | \" no\"\0 yes"s,
      "root ::= item (\",\" item)*\nitem ::= [a-z]+ # words\n\0ab,c"s,
      "root ::= \"(\" root \")\" | [^()]{1,3}\0((x))"s,
      "root ::= ((\"a\"? \"b\"?)*)+ \"\\u00e9\" .\0ab\xC3\xA9"s,
      "root ::= a{0,3} | b?\na ::= \"\\x41\" | \"B\"\nb ::= [\\]\\-a-f0-9]\0AAB"s,
      "root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"x\"\0aaaxbcb"s,
  };
  const std::vector<std::string_view> telling = {"(",   ")",  "*",  "{900}", "{0,900}", "|",  "root",
                                                 "::=", "\n", "\"", "[",     "]",       "\\", "(((((((("};
  std::mt19937 random(20261);  // its sequence is fixed by the standard
  int n_parsed = 0;
  constexpr int kRounds = 6000;
  for (int i = 0; i < kRounds; ++i) {
    std::string grammar = grammars[static_cast<std::size_t>(i) % grammars.size()];
    testing::mutate_text(grammar, telling, random);
    grammar.shrink_to_fit();
    n_parsed += parses(grammar) ? 1 : 0;
  }
  // Both outcomes are common, so the damage is neither fatal nor without effect.
  EXPECT_GT(n_parsed, kRounds / 10);
  EXPECT_LT(n_parsed, kRounds * 9 / 10);
}

}  // namespace
}  // namespace speech
