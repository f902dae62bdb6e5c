// What rules of a grammar are refused, and which texts the accepted ones give.
#include "decode/grammar.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/grammar_made_up.h"

namespace speech::testing {
namespace {

std::string refusal(const GrammarRules& rules, std::size_t start = 0) {
  const Result<Grammar> grammar = Grammar::create(rules, start);
  if (grammar) {
    return "";
  }
  EXPECT_EQ(grammar.status().code(), Code::kInvalidArgument);
  return grammar.status().message();
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(GrammarRefusal, NoRules) { EXPECT_SAYS(refusal({}), "no rules"); }

TEST(GrammarRefusal, AStartOutsideTheRules) { EXPECT_SAYS(refusal({{one('a'), end()}}, 1), "rule 1 is the start"); }

TEST(GrammarRefusal, ARuleWithoutEnd) {
  EXPECT_SAYS(refusal({{one('a'), end()}, {one('a')}}), "rule 1 has no end");
  EXPECT_SAYS(refusal({{}}), "rule 0 has no end");
  EXPECT_SAYS(refusal({{end(), one('a'), end()}}), "after its end");
}

TEST(GrammarRefusal, AReferenceToNoRule) {
  EXPECT_SAYS(refusal({{rule(7), end()}}), "rule 0 refers to rule 7, but there are 1");
  EXPECT_SAYS(refusal({{rule(0xFFFFFFFFU), end()}}), "4294967295");
}

TEST(GrammarRefusal, ARangeWithoutBeginning) {
  EXPECT_SAYS(refusal({{to('z'), end()}}), "without its beginning");
  EXPECT_SAYS(refusal({{one('a'), to('z'), to('z'), end()}}), "without its beginning");
}

TEST(GrammarRefusal, ASetThatNeverBegan) { EXPECT_SAYS(refusal({{more('a'), end()}}), "never began"); }

TEST(GrammarRefusal, ABackwardRange) { EXPECT_SAYS(refusal({{one('z'), to('a'), end()}}), "backward"); }

TEST(GrammarRefusal, AValueThatIsNoCodePoint) {
  EXPECT_SAYS(refusal({{one(0x110000), end()}}), "1114112");
  EXPECT_SAYS(refusal({{one('a'), to(0xFFFFFFFF), end()}}), "4294967295");
}

TEST(GrammarRefusal, AnUnknownKind) { EXPECT_SAYS(refusal({{{static_cast<Kind>(42), 0}, end()}}), "unknown kind 42"); }

TEST(GrammarRefusal, DirectLeftRecursion) {
  EXPECT_SAYS(refusal({{rule(1), end()}, {rule(1), one('a'), alternative(), one('b'), end()}}),
              "rule 1 refers to itself before any character");
}

TEST(GrammarRefusal, IndirectLeftRecursion) {
  const GrammarRules rules = {
      {one('a'), rule(1), end()}, {rule(2), one('x'), end()}, {rule(1), one('y'), alternative(), one('z'), end()}};
  EXPECT_SAYS(refusal(rules), "rule 1 refers to itself");
}

TEST(GrammarRefusal, LeftRecursionBehindWhatMayBeEmpty) {
  const GrammarRules rules = {{rule(1), rule(0), one('x'), alternative(), one('y'), end()},
                              {one('a'), alternative(), end()}};
  EXPECT_SAYS(refusal(rules), "rule 0 refers to itself");
}

TEST(GrammarRefusal, ATextThatNeverEnds) {
  EXPECT_SAYS(refusal({{one('a'), rule(0), end()}}), "rule 0 can never end");
  EXPECT_SAYS(refusal({{one('a'), rule(1), end()}, {one('b'), rule(0), end()}}), "can never end");
}

TEST(GrammarRefusal, NoTextAtAll) {
  EXPECT_SAYS(refusal({{end()}}), "gives no text");
  EXPECT_SAYS(refusal({{rule(1), end()}, {alternative(), end()}}), "gives no text");
  EXPECT_SAYS(refusal({{end()}, {one('a'), end()}}), "gives no text");
}

TEST(GrammarRefusal, TooManyElements) {
  Rule endless(kMaxGrammarElements, one('a'));
  endless.push_back(end());
  EXPECT_SAYS(refusal({endless}), "too large");
  EXPECT_SAYS(refusal(GrammarRules(kMaxGrammarElements + 1, {end()})), "too large");
}

TEST(GrammarText, FollowsASequence) {
  const GrammarRules rules = {joined({letters("yes")})};
  EXPECT_TRUE(goes_on(rules, ""));
  EXPECT_TRUE(goes_on(rules, "ye"));
  EXPECT_TRUE(is_whole(rules, "yes"));
  EXPECT_FALSE(is_whole(rules, "ye"));
  EXPECT_FALSE(goes_on(rules, "yet"));
  EXPECT_FALSE(goes_on(rules, "yess"));
}

TEST(GrammarText, TakesAnyAlternative) {
  const GrammarRules rules = {joined({letters("on"), {alternative()}, letters("off")})};
  EXPECT_TRUE(is_whole(rules, "on"));
  EXPECT_TRUE(is_whole(rules, "off"));
  EXPECT_FALSE(goes_on(rules, "of "));
}

TEST(GrammarText, CharacterSetsHaveSinglesAndRanges) {
  const GrammarRules rules = {{one('a'), to('f'), more('0'), to('9'), more('_'), end()}};
  for (const char* text : {"a", "c", "f", "0", "9", "_"}) {
    EXPECT_TRUE(is_whole(rules, text)) << text;
  }
  for (const char* text : {"g", "`", ":", "/", "A"}) {
    EXPECT_FALSE(goes_on(rules, text)) << text;
  }
}

TEST(GrammarText, NegatedSetsTakeEverythingElse) {
  const GrammarRules rules = {{none_of('a'), to('z'), more(0xE9), end()}};
  EXPECT_FALSE(goes_on(rules, "m"));
  EXPECT_FALSE(goes_on(rules, "é"));
  EXPECT_TRUE(is_whole(rules, "A"));
  EXPECT_TRUE(is_whole(rules, "è"));
  EXPECT_TRUE(is_whole(rules, "😀"));
}

TEST(GrammarText, RulesNest) {
  // balanced ::= "(" balanced ")" | ""
  const GrammarRules rules = {{one('('), rule(1), one(')'), end()}, {rule(0), alternative(), end()}};
  EXPECT_TRUE(is_whole(rules, "(((())))"));
  EXPECT_TRUE(goes_on(rules, "((("));
  EXPECT_FALSE(is_whole(rules, "(()"));
  EXPECT_FALSE(goes_on(rules, "())"));
}

TEST(GrammarText, RepetitionByRightRecursion) {
  const GrammarRules rules = {{one('a'), rule(0), alternative(), one('b'), end()}};
  EXPECT_TRUE(is_whole(rules, "b"));
  EXPECT_TRUE(is_whole(rules, std::string(5000, 'a') + "b"));
  EXPECT_FALSE(is_whole(rules, "aa"));
}

TEST(GrammarText, AlternativesThatNeverEndAreNotEntered) {
  const GrammarRules rules = {{one('a'), rule(1), alternative(), one('b'), end()}, {one('x'), rule(1), end()}};
  EXPECT_FALSE(goes_on(rules, "a"));
  EXPECT_TRUE(is_whole(rules, "b"));
}

}  // namespace
}  // namespace speech::testing
