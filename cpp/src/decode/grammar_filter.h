// A grammar over the tokens of a vocabulary: which may come next, as a change of logits. Knows no model. V vocabulary
// size.
//
// The penalty is finite, so a grammar is a preference: a token that the grammar rejects but that the model holds for
// more probable by more than the penalty (100 by default, in natural logarithms) is chosen all the same; the grammar is
// then broken and says nothing more about that candidate. Only infinity makes it a rule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "decode/grammar_matcher.h"
#include "text/vocabulary.h"

namespace speech {

/// Made once for a transcription, used by one thread at a time, for all its candidates.
///
/// Cost of apply(): all tokens are walked once for each state that was not met before, in the order of their bytes, so
/// that a common beginning is followed once, and everything behind a beginning that the grammar rejects is passed over;
/// the answer, a bit for each token, is kept for the last kKept states. Texts come back to few states, for which it
/// takes one pass over the bits.
class GrammarFilter {
 public:
  /// Sorts the words: some milliseconds. Fails as GrammarMatcher::create().
  static Result<GrammarFilter> create(Grammar grammar, const Vocabulary& vocabulary, const GrammarLimits& limits = {});

  /// The state before any text, for a window's candidates; states from before are void.
  GrammarState begin();

  /// The state after a token; special tokens and timestamps change nothing. A broken state stays so.
  GrammarState after(GrammarState state, Token token);

  /// logits (V), or log-probabilities: takes `penalty` (at least 0) off every text token after which no text of the
  /// grammar goes on, and off the end of text where the grammar does not end. Where the grammar is finished, all text
  /// is masked: only the end, or a timestamp before it, may follow. Special tokens and timestamps are left alone. A
  /// broken state changes nothing.
  void apply(GrammarState state, float penalty, std::span<float> logits);

  bool is_complete(GrammarState state) const { return matcher_.is_complete(state); }
  bool is_finished(GrammarState state) const { return matcher_.is_finished(state); }

  /// Ok, or the limit of the matcher that was passed since begin(): tokens beyond it are rejected.
  const Status& status() const { return matcher_.status(); }

 private:
  /// A text token in the order of bytes.
  struct Word {
    Token token = 0;
    std::uint32_t common = 0;  // bytes that it shares with the one before
    std::uint32_t rest = 0;    // its other bytes, which lie in rests_
  };
  static constexpr std::size_t kKept = 256;  // answers; 6.3 KiB each

  GrammarFilter(GrammarMatcher matcher, const Vocabulary& vocabulary);
  const std::vector<std::uint64_t>& rejected(GrammarState state);
  void walk(GrammarState state, std::vector<std::uint64_t>& bits);

  GrammarMatcher matcher_;
  Vocabulary vocabulary_;
  std::vector<Word> words_;
  std::string rests_;               // one after the other: a walk reads memory in order
  std::vector<GrammarState> path_;  // of walk(): the state after each byte
  std::vector<std::vector<std::uint64_t>> answers_;
  std::unordered_map<std::uint64_t, std::size_t> answer_numbers_;  // by state
};

}  // namespace speech
