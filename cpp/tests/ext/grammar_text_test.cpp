// Grammar text: what each construct gives, by the texts that it describes, and where errors are said to be.
#include "ext/grammar_text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "decode/grammar_matcher.h"
#include "whisper_ext.h"

namespace speech {
namespace {

GrammarMatcher matcher_of(std::string_view text) {
  const Result<GrammarText> parsed = parse_grammar(text, "root");
  EXPECT_TRUE(parsed) << parsed.status().message();
  GrammarRules rules;
  for (const auto& rule : parsed->rules) {
    auto& elements = rules.emplace_back();
    for (const auto& element : rule) {
      elements.push_back({static_cast<GrammarElementKind>(element.type), element.value});
    }
  }
  return GrammarMatcher::create(Grammar::create(rules, parsed->start_rule).value()).value();
}

void expect(std::string_view grammar, const std::vector<std::string_view>& given,
            const std::vector<std::string_view>& refused) {
  GrammarMatcher matcher = matcher_of(grammar);
  for (const std::string_view text : given) {
    EXPECT_TRUE(matcher.is_complete(matcher.after(matcher.begin(), text))) << grammar << " gives " << text;
  }
  for (const std::string_view text : refused) {
    EXPECT_FALSE(matcher.is_complete(matcher.after(matcher.begin(), text))) << grammar << " gives no " << text;
  }
}

void expect_error(std::string_view grammar, std::string_view message) {
  const Result<GrammarText> parsed = parse_grammar(grammar, "root");
  ASSERT_FALSE(parsed) << grammar;
  EXPECT_EQ(parsed.status().code(), Code::kBadFormat);
  EXPECT_NE(parsed.status().message().find(message), std::string::npos)
      << grammar << "\n"
      << parsed.status().message() << "\nexpected " << message;
}

TEST(GrammarSyntax, TextAndAlternatives) { expect("root ::= \"yes\" | \"no\"", {"yes", "no"}, {"", "yesno", "y"}); }

TEST(GrammarSyntax, NamesWithDashesAndDigits) {
  expect("root ::= a-1 b_2\na-1 ::= \"x\"\nb_2 ::= \"y\"\n", {"xy"}, {"x", "yx"});
}

TEST(GrammarSyntax, Groups) {
  expect("root ::= (\"a\" | \"b\" (\"c\" | \"d\")) \"e\"", {"ae", "bce", "bde"}, {"be", "ace"});
}

TEST(GrammarSyntax, Star) { expect("root ::= \"a\"* \"b\"", {"b", "ab", "aaab"}, {"a", "bb"}); }

TEST(GrammarSyntax, Plus) { expect("root ::= [0-9]+", {"0", "42"}, {"", "a"}); }

TEST(GrammarSyntax, QuestionMark) { expect("root ::= \"a\"? \"b\"", {"b", "ab"}, {"aab", "a"}); }

TEST(GrammarSyntax, Counts) {
  expect("root ::= \"a\"{3}", {"aaa"}, {"aa", "aaaa"});
  expect("root ::= \"ab\"{2,}", {"abab", "ababab"}, {"ab", ""});
  expect("root ::= (\"a\"|\"b\"){1,3}", {"a", "ba", "bab"}, {"", "baba"});
  expect("root ::= \"a\"{0,2} \"b\"", {"b", "ab", "aab"}, {"aaab"});
  expect("root ::= \"a\"{0} \"b\"", {"b"}, {"ab"});
  expect("root ::= \"a\"{ 1 , 2 }", {"a", "aa"}, {"aaa"});
  expect("root ::= \"a\"{1000}", {std::string(1000, 'a')}, {std::string(999, 'a')});
}

TEST(GrammarSyntax, RepetitionIsOfTheItemBeforeOnly) {
  expect("root ::= \"x\" \"ab\"+", {"xab", "xabab"}, {"xabxab", "xabb"});
  expect("root ::= \"x\" [ab]{2} \"y\"?", {"xab", "xbay"}, {"xa", "xabyy"});
}

TEST(GrammarSyntax, RepeatedRepetitions) {
  expect("root ::= ((\"a\"? \"b\"?)* )+ \".\"", {".", "abba.", "bbb."}, {"c.", ""});
  expect("root ::= \"a\"+*? \".\"", {".", "aaa."}, {"b."});
}

TEST(GrammarSyntax, Classes) {
  expect("root ::= [a-cx_]", {"a", "b", "c", "x", "_"}, {"d", "-"});
  expect("root ::= [^a-c\\n]", {"d", "é", "😀"}, {"a", "\n"});
  expect("root ::= [a-]", {"a", "-"}, {"b"});
  expect("root ::= [\\]\\[\\-\\^]", {"]", "[", "-", "^"}, {"\\"});
  expect("root ::= [а-я]", {"ж"}, {"z"});
}

TEST(GrammarSyntax, AnyCharacter) { expect("root ::= . .", {"aé", "\n😀"}, {"a", "abc"}); }

TEST(GrammarSyntax, Escapes) {
  expect("root ::= \"\\n\\t\\r\\\\\\\"\\x41\\u0416\\U0001F600\"", {"\n\t\r\\\"AЖ😀"}, {"n"});
}

TEST(GrammarSyntax, CommentsAndBlankLines) {
  expect("# head\n\nroot ::= a # one\n  # two\n\n\na ::= \"#\" # not in text\n", {"#"}, {""});
}

TEST(GrammarSyntax, RulesGoOnInTheNextLine) {
  expect("root ::=\n  \"a\" |\n  \"b\"\n  | \"c\"\n", {"a", "b", "c"}, {"ab"});
  expect("root ::= (\n \"a\"\n \"b\"\n)\n", {"ab"}, {"a"});
  expect("root ::= \"a\"\r\nx ::= \"b\"\r\n", {"a"}, {"ab"});
}

TEST(GrammarSyntax, EmptyTextIsNothing) { expect("root ::= \"\" \"a\" | \"\"*  \"b\"", {"a", "b"}, {""}); }

TEST(GrammarSyntax, ARuleMayReferToItselfAtItsEndOrInside) {
  expect("root ::= \"(\" root \")\" | \"x\"", {"x", "((x))"}, {"(x", "()"});
}

TEST(GrammarErrors, BlankText) {
  expect_error("", "line 1, column 1: the grammar is blank");
  expect_error("  \n\t\n# only a comment", "line 3, column 17: the grammar is blank");
}

TEST(GrammarErrors, AnUndefinedRuleIsNamedWhereItIsUsed) {
  expect_error("root ::= a\na ::= \"x\" | bee", "line 2, column 13: no rule is named 'bee'");
}

TEST(GrammarErrors, AMissingStartRule) { expect_error("first ::= \"a\"", "no rule is named 'root'"); }

TEST(GrammarErrors, ARuleDefinedTwice) {
  expect_error("root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1: rule 'root' is defined a second time");
}

TEST(GrammarErrors, LeftRecursionNamesTheRule) {
  expect_error("root ::= x\nx ::= x \"a\" | \"b\"", "line 2, column 1: rule 'x' refers to itself before any character");
  expect_error("root ::= \"a\" b\nb ::= c \"x\"\nc ::= \"y\" | b", "rule 'b' refers to itself");
  expect_error("root ::= \"a\"? root \"b\" | \"c\"", "line 1, column 1: rule 'root' refers to itself");
  expect_error("root ::= (root \"a\")* \"b\"", "rule 'root' refers to itself");
}

TEST(GrammarErrors, AGrammarWithoutEndOrWithoutText) {
  expect_error("root ::= \"a\" root", "rule 'root' can never end");
  expect_error("root ::= \"\"", "rule 'root' gives no text");
}

TEST(GrammarErrors, BrokenUtf8NamesItsPlace) {
  expect_error("root ::= \"é\"\nx ::= \"\xC3(\"", "line 2, column 8: this is no UTF-8");
}

TEST(GrammarErrors, ColumnsCountCharacters) { expect_error("root ::= \"ééé\" }", "line 1, column 16: found '}'"); }

TEST(GrammarErrors, WhatWasExpected) {
  expect_error("root \"a\"", "column 6: found '\"'; expected '::='");
  expect_error("::= \"a\"", "column 1: found ':'; expected the name of a rule");
  expect_error("root ::= \"a", "column 10: this text is not closed");
  expect_error("root ::= [a", "column 10: this class is not closed");
  expect_error("root ::= []", "column 10: this class is empty");
  expect_error("root ::= [^]", "column 10: this class is empty");
  expect_error("root ::= [z-a]", "column 11: this range goes backwards");
  expect_error("root ::= (\"a\"", "column 10: this group is not closed");
  expect_error("root ::= (\"a\" !", "column 15: found '!'; expected text");
  expect_error("root ::= \"a\")", "column 13: found ')'; expected text");
  expect_error("root ::= *", "column 10: found '*'; expected something before it to repeat");
  expect_error("root ::= \"a\" | +", "column 16: found '+'");
  expect_error("root ::= \"a\"{", "column 14: the grammar ends here; expected a count");
  expect_error("root ::= \"a\"{2", "expected '}'");
  expect_error("root ::= \"a\"{3,2}", "column 13: the second count is smaller");
  expect_error("root ::= \"a\"{1001}", "column 14: this count is too large");
  expect_error("root ::= \"\\q\"", "column 11: no such escape");
  expect_error("root ::= \"\\u12\"", "column 15: found '\"'; expected 4 hexadecimal digits");
  expect_error("root ::= \"\\uD800\"", "column 11: this escape is no character");
  expect_error("root ::= \"\\U00110000\"", "column 11: this escape is no character");
  expect_error("root ::= \"\\", "no such escape");
  expect_error("root ::= a\n} ::= b", "line 2, column 1: found '}'; expected the name of a rule");
}

TEST(GrammarLimits, AHundredThousandParenthesesDoNotUseUpTheStack) {
  expect_error("root ::= " + std::string(100000, '(') + "\"a\"" + std::string(100000, ')'),
               "column 210: groups lie deeper");
}

TEST(GrammarLimits, CountsMultiplyReferencesOnly) {
  expect_error(
      "root ::= ((((\"abc\"{1000} [a-z]{1000}){0,1000}){1000} (\"x\"{1000}){0,1000}){1000} " + std::string(100, '(') +
          "\"x\"{1000}" + std::string(100, ')') + "{1000}" +
          [] {
            std::string more;
            for (int i = 0; i < 80; ++i) {
              more += " \"ab\"{1000}";
            }
            return more;
          }(),
      "too large");
  const Result<GrammarText> parsed = parse_grammar("root ::= (((\"a\"{1000}){1000}){1000}){1000}", "root");
  ASSERT_TRUE(parsed) << parsed.status().message();
  std::size_t n_elements = 0;
  for (const auto& rule : parsed->rules) {
    n_elements += rule.size();
  }
  EXPECT_LT(n_elements, 5000U);
}

TEST(GrammarLimits, TooMuchText) { expect_error(std::string(kMaxGrammarTextBytes + 1, ' '), "at most 1048576"); }

class ExtGrammar : public ::testing::Test {
 protected:
  void SetUp() override { whisper_ext_clear_error(); }
};

TEST_F(ExtGrammar, GivesRulesForTheParameters) {
  whisper_ext_grammar* grammar = whisper_ext_grammar_parse("word ::= [a-z]+\nroot ::= word (\" \" word)*", nullptr);
  ASSERT_NE(grammar, nullptr) << whisper_ext_last_error();
  const size_t n_rules = whisper_ext_grammar_n_rules(grammar);
  EXPECT_GE(n_rules, 3U);
  EXPECT_EQ(whisper_ext_grammar_start_rule(grammar), 2U) << "after the rule that repeats a letter";
  const whisper_grammar_element** rules = whisper_ext_grammar_rules(grammar);
  ASSERT_NE(rules, nullptr);
  for (size_t i = 0; i < n_rules; ++i) {
    const whisper_grammar_element* element = rules[i];
    while (element->type != WHISPER_GRETYPE_END) {
      ++element;
    }
  }
  whisper_ext_grammar_free(grammar);
}

TEST_F(ExtGrammar, ANamedStartRule) {
  whisper_ext_grammar* grammar = whisper_ext_grammar_parse("a ::= \"x\"\nb ::= \"y\"", "b");
  ASSERT_NE(grammar, nullptr);
  EXPECT_EQ(whisper_ext_grammar_start_rule(grammar), 1U);
  whisper_ext_grammar_free(grammar);
  EXPECT_EQ(whisper_ext_grammar_parse("a ::= \"x\"", "c"), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
}

TEST_F(ExtGrammar, ErrorsNameLineAndColumn) {
  EXPECT_EQ(whisper_ext_grammar_parse("root ::= \"{\" \"}\" }", nullptr), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
  EXPECT_NE(std::string(whisper_ext_last_error()).find("line 1, column 18"), std::string::npos)
      << whisper_ext_last_error();
}

TEST_F(ExtGrammar, NullArguments) {
  EXPECT_EQ(whisper_ext_grammar_parse(nullptr, nullptr), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
  EXPECT_EQ(whisper_ext_grammar_rules(nullptr), nullptr);
  EXPECT_EQ(whisper_ext_grammar_n_rules(nullptr), 0U);
  EXPECT_EQ(whisper_ext_grammar_start_rule(nullptr), 0U);
  whisper_ext_grammar_free(nullptr);
}

}  // namespace
}  // namespace speech
