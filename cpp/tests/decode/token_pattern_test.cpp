// Regular expressions over tokens: the syntax, what is refused, and patterns made to hang.
#include "decode/token_pattern.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "decode/made_up.h"
#include "decode/pattern.h"

namespace speech::testing {
namespace {

bool matches(std::string_view pattern, std::u32string_view text) {
  const Result<Pattern> compiled = Pattern::compile(pattern);
  if (!compiled) {
    ADD_FAILURE() << compiled.status().message();
    return false;
  }
  PatternMatcher matcher(*compiled, 1'000'000);
  const bool result = matcher.matches(text);
  EXPECT_FALSE(matcher.is_exhausted());
  return result;
}

Status refusal(std::string_view pattern) {
  const Result<Pattern> compiled = Pattern::compile(pattern);
  EXPECT_FALSE(compiled) << pattern;
  return compiled.status();
}

#define EXPECT_SAYS(status, part) EXPECT_NE((status).message().find(part), std::string::npos) << (status).message()

TEST(PatternSyntax, MatchesTheWholeTextOnly) {
  EXPECT_TRUE(matches("abc", U"abc"));
  EXPECT_FALSE(matches("abc", U"abcd"));
  EXPECT_FALSE(matches("abc", U"ab"));
  EXPECT_TRUE(matches("", U""));
  EXPECT_FALSE(matches("", U"a"));
}

TEST(PatternSyntax, AlternativesAndGroups) {
  for (const auto* text : {U"ad", U"bcd", U"d"}) {
    EXPECT_TRUE(matches("(a|bc|)d", text));
  }
  EXPECT_FALSE(matches("(?:a|bc)d", U"d"));
  EXPECT_FALSE(matches("a|bcd", U"acd"));
}

TEST(PatternSyntax, Repetitions) {
  EXPECT_TRUE(matches("a*", U""));
  EXPECT_TRUE(matches("a*", U"aaaa"));
  EXPECT_FALSE(matches("a+", U""));
  EXPECT_TRUE(matches("a?b", U"b"));
  EXPECT_TRUE(matches("(ab){2}", U"abab"));
  EXPECT_FALSE(matches("(ab){2}", U"ababab"));
  EXPECT_TRUE(matches("a{2,}", U"aaaa"));
  EXPECT_FALSE(matches("a{2,}", U"a"));
  EXPECT_TRUE(matches("a{1,3}", U"aaa"));
  EXPECT_FALSE(matches("a{1,3}", U"aaaa"));
  EXPECT_TRUE(matches("a{0}b", U"b"));
  EXPECT_TRUE(matches("a*?b+?c??", U"aabb"));
}

TEST(PatternSyntax, ClassesRangesAndNegation) {
  EXPECT_TRUE(matches("[a-cx_]+", U"abcx_"));
  EXPECT_FALSE(matches("[a-cx_]", U"d"));
  EXPECT_TRUE(matches("[^a-c]", U"d"));
  EXPECT_FALSE(matches("[^a-c]", U"b"));
  EXPECT_TRUE(matches("[-a]", U"-"));
  EXPECT_TRUE(matches("[a-]", U"-"));
  EXPECT_TRUE(matches("[\\]\\\\]+", U"]\\"));
  EXPECT_FALSE(matches("[]", U"a")) << "an empty class holds nothing";
  EXPECT_TRUE(matches("[^]", U"a")) << "and its opposite everything";
  EXPECT_TRUE(matches("[[:alpha:][:digit:]]+", U"aZ9"));
  EXPECT_FALSE(matches("[[:punct:]]", U"a"));
}

TEST(PatternSyntax, Escapes) {
  EXPECT_TRUE(matches("\\d\\D\\w\\W\\s\\S", U"1a_ \tx"));
  EXPECT_TRUE(matches("\\t\\n\\r\\f\\v", U"\t\n\r\f\v"));
  EXPECT_TRUE(matches("\\x41\\u0416\\cA", U"A\u0416\x01"));
  EXPECT_TRUE(matches("\\.\\*\\(\\)\\[\\]\\{\\}\\|\\^\\$\\/", U".*()[]{}|^$/"));
  EXPECT_FALSE(matches("\\.", U"a"));
  EXPECT_TRUE(matches("[\\d\\b]", U"\b"));
}

TEST(PatternSyntax, ADotIsAnyCharacterOfALine) {
  EXPECT_TRUE(matches("..", U"a\u4E2D"));
  EXPECT_FALSE(matches(".", U"\n"));
  EXPECT_FALSE(matches(".", U""));
}

TEST(PatternSyntax, CharactersAreNotBytes) {
  EXPECT_TRUE(matches("[à-ü]{2}", U"éè"));
  EXPECT_TRUE(matches("😀+", U"😀😀"));
}

TEST(PatternSyntax, Places) {
  EXPECT_TRUE(matches("^ab$", U"ab"));
  EXPECT_FALSE(matches("a^b", U"ab"));
  EXPECT_FALSE(matches("a$b", U"ab"));
  EXPECT_TRUE(matches(" \\bword\\b", U" word"));
  EXPECT_FALSE(matches("wo\\brd", U"word"));
  EXPECT_TRUE(matches("wo\\Brd", U"word"));
}

TEST(PatternSyntax, LookAheads) {
  EXPECT_TRUE(matches("(?!.*(?:yes|no)).*", U"maybe"));
  EXPECT_FALSE(matches("(?!.*(?:yes|no)).*", U" yes"));
  EXPECT_TRUE(matches("(?=a).b", U"ab"));
  EXPECT_FALSE(matches("(?=b).b", U"ab"));
  EXPECT_TRUE(matches("(?:(?!x)[a-z](?=[a-z]|$))+", U"abc"));
  EXPECT_FALSE(matches("(?:(?!x)[a-z])+", U"axc"));
  EXPECT_TRUE(matches("(?!(?!a)).", U"a")) << "not not";
}

TEST(PatternRefusal, NamesThePlaceAndWhatWasExpected) {
  for (const auto& [pattern, text] : std::vector<std::pair<const char*, const char*>>{
           {"ab(c", "character 3: this group is not closed; expected ')'"},
           {"ab)c", "character 3: found ')'"},
           {"é[a", "character 2: this class is not closed; expected ']'"},
           {"*a", "character 1: there is nothing before this to repeat"},
           {"a**", "character 3: there is nothing before this to repeat"},
           {"(|+)", "character 3: there is nothing"},
           {"a{", "character 3: expected a count"},
           {"a{2", "expected '}'"},
           {"a{3,2}", "second count is below its first"},
           {"a{99999}", "too large"},
           {"[z-a]", "backwards"},
           {"[a-\\d]", "backwards, or ends with a class"},
           {"[[:nope:]]", "no such named class"},
           {"\\", "ends after '\\'"},
           {"\\q", "character 2: no such escape"},
           {"\\x4", "expected 2 hexadecimal digits"},
           {"(?<a>b)", "group of an unknown kind"},
           {"a\xFF", "character 2: this is no UTF-8"},
       }) {
    const Status status = refusal(pattern);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << pattern;
    EXPECT_SAYS(status, text);
  }
}

TEST(PatternRefusal, BackReferencesAreUnsupported) {
  EXPECT_EQ(refusal("(a)\\1").code(), Code::kUnsupported);
  EXPECT_EQ(refusal("[[.a.]]").code(), Code::kUnsupported);
}

TEST(PatternBounds, SizeAndDepth) {
  EXPECT_SAYS(refusal(std::string(kMaxPatternBytes + 1, 'a')), "at most 4096");
  EXPECT_SAYS(refusal(std::string(2000, '(') + std::string(2000, ')')), "deeper than 64");
  EXPECT_SAYS(refusal("((((a{100}){100}){100}){100})"), "instructions");
  EXPECT_SAYS(refusal("(?=(?=(?=(?=(?=a)))))"), "look-aheads lie deeper");
  EXPECT_TRUE(matches("(((){16384}){16384}){16384}", U"")) << "nothing, very often, takes no time";
}

TEST(PatternBounds, WhatMakesBacktrackingHangTakesLinearSteps) {
  const std::u32string text = std::u32string(2000, U'a') + U"b";
  EXPECT_FALSE(matches("(a*)*c", text));
  EXPECT_FALSE(matches("(a|a)*c", text));
  EXPECT_TRUE(matches("((a?)+)*b", text));
  EXPECT_FALSE(matches("(a?){30}a{30}", std::u32string(29, U'a')));
}

TEST(PatternBounds, UsedUpStepsMatchNothing) {
  const Pattern pattern = Pattern::compile("a*").value();
  PatternMatcher matcher(pattern, 10);
  EXPECT_FALSE(matcher.matches(std::u32string(100, U'a')));
  EXPECT_TRUE(matcher.is_exhausted());
}

std::vector<Token> matching(std::string_view pattern) {
  const Result<std::vector<Token>> tokens = tokens_matching(english(), pattern);
  EXPECT_TRUE(tokens) << tokens.status().message();
  return tokens ? *tokens : std::vector<Token>{};
}

TEST(SuppressRegex, GivesTheTokensWhoseWholeTextMatches) {
  const std::vector<Token> tokens = matching("[0-9]+|\\s[a-c]");
  ASSERT_EQ(tokens.size(), 13U);  // ten digits, " a", " b", " c"
  EXPECT_TRUE(std::ranges::is_sorted(tokens));
  for (const Token token : tokens) {
    const std::string_view text = english().bytes(token);
    EXPECT_TRUE(text.size() == 1 || text.front() == ' ') << text;
  }
}

TEST(SuppressRegex, NeverGivesTheEndOrASpecialToken) {
  const std::vector<Token> all = matching("[^]*");
  EXPECT_EQ(static_cast<Token>(all.size()), english().special().eot);
  EXPECT_TRUE(matching("\\[_.*").empty()) << "names of special tokens are no text";
}

TEST(SuppressRegex, APieceOfACharacterIsAReplacementCharacter) {
  const std::vector<Token> tokens = matching("\\uFFFD");
  EXPECT_EQ(tokens.size(), 128U);  // the single bytes 80..FF
}

TEST(SuppressRegex, AMalformedPatternIsRefused) {
  EXPECT_EQ(tokens_matching(english(), "(").status().code(), Code::kInvalidArgument);
}

TEST(SuppressRegex, APatternThatTakesTooLongIsRefused) {
  const Result<std::vector<Token>> tokens = tokens_matching(english(), "((.?){120}){120}x");
  ASSERT_FALSE(tokens);
  EXPECT_EQ(tokens.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace speech::testing
