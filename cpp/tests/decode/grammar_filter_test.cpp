// A grammar over tokens: which logits it changes, and by how much.
#include "decode/grammar_filter.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "decode/grammar_made_up.h"
#include "decode/made_up.h"

namespace speech::testing {
namespace {

constexpr float kPenalty = 100.0F;

Token id_of(std::string_view word) {
  for (Token id = 0; id < english().special().eot; ++id) {
    if (english().bytes(id) == word) {
      return id;
    }
  }
  return -1;
}

GrammarFilter filter_of(const GrammarRules& rules) {
  return GrammarFilter::create(Grammar::create(rules, 0).value(), english()).value();
}

std::vector<float> applied(GrammarFilter& filter, GrammarState state, float penalty = kPenalty) {
  std::vector<float> logits = flat_logits();
  filter.apply(state, penalty, logits);
  return logits;
}

float at(const std::vector<float>& logits, Token id) { return logits[static_cast<std::size_t>(id)]; }

TEST(GrammarPenalty, IsTakenOffEveryTextTokenThatTheGrammarRejects) {
  GrammarFilter filter = filter_of({{one('a'), to('m'), rule(0), alternative(), one('.'), end()}});
  const GrammarState start = filter.begin();
  const std::vector<float> logits = applied(filter, start);
  GrammarMatcher plain = matcher_of({{one('a'), to('m'), rule(0), alternative(), one('.'), end()}});
  const GrammarState plain_start = plain.begin();
  int n_allowed = 0;
  for (Token id = 0; id < english().special().eot; ++id) {
    const bool allowed = !english().bytes(id).empty() && plain.allows(plain_start, english().bytes(id));
    ASSERT_EQ(at(logits, id), allowed ? 0.0F : -kPenalty) << id << " " << english().bytes(id);
    n_allowed += allowed ? 1 : 0;
  }
  EXPECT_GT(n_allowed, 100);
}

TEST(GrammarPenalty, AgreesWithTheMatcherInTheMiddleOfATextAndOfACharacter) {
  const GrammarRules rules = {{none_of('q'), to('z'), rule(0), alternative(), one('z'), end()}};
  GrammarFilter filter = filter_of(rules);
  GrammarMatcher plain = matcher_of(rules);
  for (const std::string_view text : {"ab", "\xC3", "\xE4\xB8", "\xF0\x9F"}) {
    GrammarState state = filter.begin();
    for (const char c : text) {
      state = filter.after(state, id_of(std::string_view(&c, 1)));
    }
    const std::vector<float> logits = applied(filter, state);
    const GrammarState plain_state = plain.after(plain.begin(), text);
    for (Token id = 0; id < english().special().eot; ++id) {
      const bool allowed = !english().bytes(id).empty() && plain.allows(plain_state, english().bytes(id));
      ASSERT_EQ(at(logits, id), allowed ? 0.0F : -kPenalty) << text << " then " << english().bytes(id);
    }
  }
}

TEST(GrammarPenalty, IsTakenOffTheEndOfTextUnlessTheGrammarCanEnd) {
  GrammarFilter filter = filter_of({joined({letters("no"), {alternative()}, letters("none")})});
  const Token eot = english().special().eot;
  const GrammarState start = filter.begin();
  EXPECT_EQ(at(applied(filter, start), eot), -kPenalty);
  EXPECT_EQ(at(applied(filter, filter.after(start, id_of("no"))), eot), 0.0F);
}

TEST(GrammarPenalty, LeavesSpecialTokensAndTimestampsAlone) {
  GrammarFilter filter = filter_of({joined({letters("no")})});
  const std::vector<float> logits = applied(filter, filter.begin());
  for (Token id = english().special().eot + 1; id < english().size(); ++id) {
    ASSERT_EQ(at(logits, id), 0.0F) << id;
  }
}

TEST(GrammarPenalty, FiniteIsAPreferenceAndInfiniteARule) {
  GrammarFilter filter = filter_of({joined({letters("no")})});
  std::vector<float> logits = flat_logits();
  logits[static_cast<std::size_t>(id_of("x"))] = 250.0F;
  filter.apply(filter.begin(), kPenalty, logits);
  EXPECT_GT(at(logits, id_of("x")), at(logits, id_of("n"))) << "the model is surer than the penalty";
  EXPECT_EQ(at(applied(filter, filter.begin(), std::numeric_limits<float>::infinity()), id_of("x")), kMasked);
}

TEST(GrammarPenalty, LeavesMaskedTokensMasked) {
  GrammarFilter filter = filter_of({joined({letters("no")})});
  std::vector<float> logits(static_cast<std::size_t>(english().size()), kMasked);
  filter.apply(filter.begin(), std::numeric_limits<float>::infinity(), logits);
  for (const float value : logits) {
    ASSERT_EQ(value, kMasked);  // and no NaN
  }
}

TEST(GrammarEndOfDecoding, AFinishedGrammarLetsOnlyTheEndAndTimestampsFollow) {
  GrammarFilter filter = filter_of({joined({letters("{}")})});
  GrammarState state = filter.after(filter.after(filter.begin(), id_of("{")), id_of("}"));
  ASSERT_TRUE(filter.is_finished(state));
  const std::vector<float> logits = applied(filter, state);
  for (Token id = 0; id < english().special().eot; ++id) {
    ASSERT_EQ(at(logits, id), kMasked) << id;
  }
  EXPECT_EQ(at(logits, english().special().eot), 0.0F);
  EXPECT_EQ(at(logits, english().special().beg), 0.0F);
}

TEST(GrammarTokens, TimestampsAndSpecialTokensDoNotMoveTheGrammar) {
  GrammarFilter filter = filter_of({joined({letters("no")})});
  const GrammarState start = filter.begin();
  EXPECT_EQ(filter.after(start, timestamp(0)), start);
  EXPECT_EQ(filter.after(start, english().special().eot), start);
  EXPECT_EQ(filter.after(start, english().size() + 5), start);
  EXPECT_NE(filter.after(start, id_of("n")), start);
}

TEST(GrammarTokens, ABrokenGrammarSaysNothingMore) {
  GrammarFilter filter = filter_of({joined({letters("no")})});
  const GrammarState broken = filter.after(filter.begin(), id_of("x"));
  ASSERT_TRUE(broken.is_broken());
  EXPECT_EQ(applied(filter, broken), flat_logits());
}

TEST(GrammarTokens, CandidatesAreIndependent) {
  GrammarFilter filter = filter_of({joined({letters("on"), {alternative()}, letters("off")})});
  const GrammarState start = filter.begin();
  const GrammarState one_candidate = filter.after(filter.after(start, id_of("o")), id_of("n"));
  const GrammarState other = filter.after(filter.after(start, id_of("o")), id_of("f"));
  EXPECT_TRUE(filter.is_finished(one_candidate));
  EXPECT_EQ(at(applied(filter, other), id_of("f")), 0.0F);
  EXPECT_EQ(at(applied(filter, other), id_of("n")), -kPenalty);
}

TEST(GrammarTokens, AnswersDoNotOutliveTheStatesTheyWereFor) {
  // More states than are kept, then a new beginning.
  GrammarFilter filter = filter_of({{one('('), rule(0), one(')'), alternative(), one('x'), end()}});
  const Token open = id_of("(");
  const Token close = id_of(")");
  GrammarState state = filter.begin();
  for (int depth = 0; depth < 300; ++depth) {
    const std::vector<float> logits = applied(filter, state);
    ASSERT_EQ(at(logits, open), 0.0F);
    ASSERT_EQ(at(logits, close), -kPenalty);
    state = filter.after(state, open);
  }
  state = filter.after(filter.after(filter.begin(), id_of("(")), id_of("x"));
  EXPECT_EQ(at(applied(filter, state), id_of(")")), 0.0F);
  EXPECT_EQ(at(applied(filter, state), id_of("(")), -kPenalty);
}

TEST(GrammarTokens, AVeryAmbiguousGrammarIsToldNotFollowed) {
  GrammarLimits limits;
  limits.places = 4;
  const GrammarRules rules = {
      {one('a'), rule(0), one('b'), alternative(), one('a'), rule(0), one('c'), alternative(), one('x'), end()}};
  GrammarFilter filter = GrammarFilter::create(Grammar::create(rules, 0).value(), english(), limits).value();
  GrammarState state = filter.begin();
  for (int i = 0; i < 10; ++i) {
    state = filter.after(state, id_of("a"));
  }
  EXPECT_TRUE(state.is_broken());
  EXPECT_EQ(filter.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace speech::testing
