// Following text through a grammar: ends, characters cut between tokens, and grammars that would blow up.
#include "decode/grammar_matcher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/grammar_made_up.h"

namespace speech::testing {
namespace {

TEST(GrammarEnd, IsAllowedWhereAnAlternativeEnds) {
  GrammarMatcher matcher = matcher_of({joined({letters("no"), {alternative()}, letters("none")})});
  EXPECT_FALSE(verdict(matcher, "n").is_whole);
  EXPECT_TRUE(verdict(matcher, "no").is_whole);
  EXPECT_FALSE(verdict(matcher, "no").is_finished) << "\"none\" may still come";
  EXPECT_FALSE(verdict(matcher, "non").is_whole);
}

TEST(GrammarEnd, IsFinishedWhereNothingMayFollow) {
  GrammarMatcher matcher = matcher_of({joined({letters("{}")})});
  EXPECT_TRUE(verdict(matcher, "{}").is_finished);
  EXPECT_FALSE(verdict(matcher, "{").is_finished);
}

TEST(GrammarEnd, ABrokenTextIsNeverWholeAndStaysBroken) {
  GrammarMatcher matcher = matcher_of({joined({letters("ab")})});
  const GrammarState broken = matcher.after(matcher.begin(), "x");
  EXPECT_TRUE(broken.is_broken());
  EXPECT_FALSE(matcher.is_complete(broken));
  EXPECT_TRUE(matcher.after(broken, "ab").is_broken());
  EXPECT_FALSE(matcher.allows(broken, "a"));
}

TEST(GrammarPieces, GiveTheSameStateAsTheWhole) {
  GrammarMatcher matcher = matcher_of({{one('a'), to('z'), rule(0), alternative(), one('.'), end()}});
  const GrammarState start = matcher.begin();
  const GrammarState whole = matcher.after(start, "hello.");
  const GrammarState pieces = matcher.after(matcher.after(matcher.after(start, "he"), "llo"), ".");
  EXPECT_EQ(whole, pieces);
}

TEST(GrammarPieces, ACharacterMayBeCutBetweenTokens) {
  GrammarMatcher matcher = matcher_of({{one(0x1F600), one(0xE9), end()}});  // 😀é
  const std::string text = "\xF0\x9F\x98\x80\xC3\xA9";
  GrammarState state = matcher.begin();
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(matcher.is_complete(state)) << i;
    state = matcher.after(state, text.substr(i, 1));
    ASSERT_FALSE(state.is_broken()) << i;
  }
  EXPECT_TRUE(matcher.is_complete(state));
}

TEST(GrammarPieces, ABeginningThatNoAllowedCharacterHasIsRejectedAtOnce) {
  GrammarMatcher matcher = matcher_of({{one(0x4E00), to(0x4E3F), end()}});  // E4 B8 80 .. E4 B8 BF
  const GrammarState start = matcher.begin();
  EXPECT_TRUE(matcher.allows(start, "\xE4"));
  EXPECT_TRUE(matcher.allows(start, "\xE4\xB8"));
  EXPECT_FALSE(matcher.allows(start, "\xE4\xB9"));
  EXPECT_FALSE(matcher.allows(start, "\xE3"));
  EXPECT_FALSE(matcher.allows(start, "\xF0"));
  EXPECT_TRUE(matcher.allows(start, "\xE4\xB8\xBF"));
}

TEST(GrammarPieces, NegatedSetsLookAtWhatTheBeginningMayBecome) {
  // Everything but U+0080..U+07FF, which is all that two bytes can say, and U+E000..U+10FFFF.
  GrammarMatcher matcher = matcher_of({{none_of(0x80), to(0x7FF), more(0xE000), to(0x10FFFF), end()}});
  const GrammarState start = matcher.begin();
  EXPECT_FALSE(matcher.allows(start, "\xC3"));
  EXPECT_FALSE(matcher.allows(start, "\xF0"));
  EXPECT_TRUE(matcher.allows(start, "\xE0"));
  EXPECT_TRUE(matcher.allows(start, "\xED"));
  EXPECT_FALSE(matcher.allows(start, "\xEE"));
}

TEST(GrammarPieces, BrokenUtf8IsNoText) {
  GrammarMatcher matcher = matcher_of({{none_of('x'), rule(0), alternative(), end()}});
  const GrammarState start = matcher.begin();
  for (const char* bytes : {"\xFF", "\x80", "\xC3(", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xE4\xB8"
                            "a"}) {
    EXPECT_FALSE(matcher.allows(start, bytes)) << bytes;
  }
  EXPECT_TRUE(matcher.allows(start, std::string_view("\0", 1)));
}

// ("a"? )* and its kind: rules that may be empty, inside repetitions of repetitions.
TEST(GrammarBlowUp, NestedEmptyAlternativesEnd) {
  const GrammarRules rules = {
      {rule(1), one('.'), end()},
      {rule(2), rule(1), alternative(), end()},  // (...)*
      {rule(3), rule(2), alternative(), end()},  // (...)*
      {rule(4), rule(3), alternative(), end()},  // (...)*
      {one('a'), alternative(), alternative(), alternative(), end()},
  };
  GrammarMatcher matcher = matcher_of(rules);
  EXPECT_TRUE(verdict(matcher, ".").is_whole);
  EXPECT_TRUE(verdict(matcher, std::string(300, 'a') + ".").is_whole);
  EXPECT_FALSE(verdict(matcher, "b").goes_on);
  EXPECT_TRUE(matcher.status().is_ok());
}

TEST(GrammarBlowUp, EqualPlacesAreOne) {
  // a ::= "x" a | "x" a | "x" a | "": three ways at each step, one place.
  GrammarMatcher matcher = matcher_of(
      {{one('x'), rule(0), alternative(), one('x'), rule(0), alternative(), one('x'), rule(0), alternative(), end()}});
  EXPECT_TRUE(verdict(matcher, std::string(10000, 'x')).is_whole);
  EXPECT_LE(matcher.n_sets(), 3U);
  EXPECT_TRUE(matcher.status().is_ok());
}

TEST(GrammarBlowUp, TextThatCanBeReadInTooManyWaysIsRefusedWithAReason) {
  // s ::= "a" s "b" | "a" s "c" | "x": 2^n ways to read n times "a".
  GrammarMatcher matcher = matcher_of(
      {{one('a'), rule(0), one('b'), alternative(), one('a'), rule(0), one('c'), alternative(), one('x'), end()}});
  EXPECT_TRUE(verdict(matcher, "aaaxbcb").is_whole);
  EXPECT_TRUE(matcher.status().is_ok());
  EXPECT_FALSE(verdict(matcher, std::string(40, 'a')).goes_on);
  EXPECT_EQ(matcher.status().code(), Code::kInvalidArgument);
  EXPECT_NE(matcher.status().message().find("ambiguous"), std::string::npos) << matcher.status().message();
  // The next text is judged as if nothing had been.
  EXPECT_TRUE(verdict(matcher, "aaaxbcb").is_whole);
  EXPECT_TRUE(matcher.status().is_ok());
}

TEST(GrammarBlowUp, AGrammarThatIsTooAmbiguousFromTheStartIsRefused) {
  // Sixteen rules that each double the ways: 65536 before the first character.
  GrammarRules rules;
  for (std::uint32_t i = 0; i < 16; ++i) {
    rules.push_back({rule(i + 1), one('b'), alternative(), rule(i + 1), one('c'), end()});
  }
  rules.push_back({one('x'), end()});
  const Result<GrammarMatcher> matcher = GrammarMatcher::create(Grammar::create(rules, 0).value());
  ASSERT_FALSE(matcher);
  EXPECT_EQ(matcher.status().code(), Code::kInvalidArgument);
}

TEST(GrammarMemory, IsForgottenBetweenTextsAndNeverGrowsBeyondItsLimits) {
  // Each depth is a state of its own.
  GrammarLimits limits;
  limits.sets = 100;
  GrammarMatcher matcher = matcher_of({{one('('), rule(0), one(')'), alternative(), one('x'), end()}}, limits);
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(verdict(matcher, std::string(60, '(')).goes_on);
    EXPECT_FALSE(verdict(matcher, std::string(300, '(')).goes_on);
    EXPECT_FALSE(matcher.status().is_ok());
    EXPECT_LE(matcher.n_sets(), 100U);
  }
}

TEST(GrammarMemory, DeepNestingNeedsNoStack) {
  GrammarMatcher matcher = matcher_of({{one('('), rule(0), one(')'), alternative(), one('x'), end()}});
  const std::string text = std::string(10000, '(') + "x" + std::string(10000, ')');
  EXPECT_TRUE(verdict(matcher, text).is_whole);
}

TEST(GrammarMemory, AChainOfAllRulesNeedsNoStack) {
  GrammarRules rules;
  constexpr std::uint32_t kRules = 30000;
  for (std::uint32_t i = 0; i + 1 < kRules; ++i) {
    rules.push_back({rule(i + 1), end()});
  }
  rules.push_back({one('a'), end()});
  EXPECT_TRUE(is_whole(rules, "a"));
}

}  // namespace
}  // namespace speech::testing
