// The rules in the order in which they are applied.
#include "decode/rules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "decode/sampling.h"

namespace speech {
namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

// Symbols that annotate rather than transcribe. Source: openai/whisper tokenizer.py, non_speech_tokens.
constexpr auto kNonSpeech = std::to_array<std::string_view>({
    "\"",  "#",  "(",  ")",   "*",   "+",  "/",  ":",  ";",  "<",  "=",   ">",   "@",   "[",  "\\",  "]",  "^",  "_",
    "`",   "{",  "|",  "}",   "~",   "「", "」", "『", "』", "<<", ">>",  "<<<", ">>>", "--", "---", "-(", "-[", "('",
    "(\"", "((", "))", "(((", ")))", "[[", "]]", "{{", "}}", "♪♪", "♪♪♪", "♩",   "♪",   "♫",  "♬",   "♭",  "♮",  "♯",
});

void mask_range(std::span<float> logits, Token begin, Token end) {
  for (Token token = std::max(begin, 0); token < end; ++token) {
    logits[static_cast<std::size_t>(token)] = kMasked;
  }
}

std::vector<Token> non_speech_tokens(const Vocabulary& vocabulary) {
  std::set<std::string, std::less<>> wanted = {" -", " '"};  // allowed inside a word, not at its start
  for (const std::string_view symbol : kNonSpeech) {
    wanted.insert(std::string(symbol));
    wanted.insert(std::string(1, ' ').append(symbol));
  }
  std::vector<Token> found;
  for (Token token = 0; token < vocabulary.special().eot; ++token) {
    if (wanted.contains(vocabulary.bytes(token))) {
      found.push_back(token);
    }
  }
  return found;
}

Token find_blank(const Vocabulary& vocabulary) {
  for (Token token = 0; token < vocabulary.special().eot; ++token) {
    if (vocabulary.bytes(token) == " ") {
      return token;
    }
  }
  return vocabulary.special().eot;  // a vocabulary always has it: every single byte is a token
}

}  // namespace

LogitRules::LogitRules(const Vocabulary& vocabulary, const RuleOptions& options)
    : options_(options), special_(vocabulary.special()) {
  always_ = {special_.not_, special_.sot, special_.nosp, special_.translate, special_.transcribe, special_.prev};
  if (!options_.allow_speaker_turn) {
    always_.push_back(special_.solm);
  }
  always_.insert(always_.end(), options_.suppressed.begin(), options_.suppressed.end());
  for (int i = 0; i < vocabulary.n_languages(); ++i) {
    always_.push_back(special_.first_language + i);
  }
  if (options_.suppress_non_speech) {
    const std::vector<Token> symbols = non_speech_tokens(vocabulary);
    always_.insert(always_.end(), symbols.begin(), symbols.end());
  }
  if (options_.suppress_blank) {
    initial_ = {special_.eot, find_blank(vocabulary)};
  }
}

void LogitRules::suppress(std::span<float> logits, const SequenceView& sequence) const {
  for (const Token token : always_) {
    logits[static_cast<std::size_t>(token)] = kMasked;
  }
  if (sequence.tokens.empty()) {
    for (const Token token : initial_) {
      logits[static_cast<std::size_t>(token)] = kMasked;
    }
  }
}

void LogitRules::constrain_timestamps(std::span<float> logits, const SequenceView& sequence) const {
  const auto n_vocab = static_cast<Token>(logits.size());
  if (options_.no_timestamps) {
    mask_range(logits, special_.beg, n_vocab);
    return;
  }
  const std::span<const Token> tokens = sequence.tokens;
  if (options_.max_tokens > 0 && !options_.single_segment && static_cast<int>(tokens.size()) >= options_.max_tokens) {
    mask_range(logits, 0, special_.eot);  // the segment is full: only a timestamp or the end may follow
  }
  // Timestamps come in pairs, end of one segment and start of the next, except directly before the end of text.
  if (!tokens.empty() && tokens.back() >= special_.beg) {
    const bool pair_is_complete = tokens.size() < 2 || tokens[tokens.size() - 2] >= special_.beg;
    if (pair_is_complete) {
      mask_range(logits, special_.beg, n_vocab);
    } else {
      mask_range(logits, 0, special_.eot);
    }
  }
  if (tokens.empty() && options_.max_initial_timestamp >= 0) {
    mask_range(logits, std::min(special_.beg + options_.max_initial_timestamp + 1, n_vocab), n_vocab);
  }
  if (sequence.has_timestamp) {  // time does not go back
    mask_range(logits, special_.beg, std::min(special_.beg + sequence.last_timestamp, n_vocab));
  }
}

void LogitRules::normalize(std::span<float> logits) const {
  log_softmax(logits);
  if (options_.no_timestamps) {
    return;
  }
  const auto beg = static_cast<std::size_t>(special_.beg);
  const float timestamp_mass = log_sum_exp(logits.subspan(beg));
  if (timestamp_mass > *std::ranges::max_element(logits.first(beg))) {
    mask_range(logits, 0, special_.beg);
  }
}

}  // namespace speech
