// Walks the vocabulary through the grammar and keeps what it found.
#include "decode/grammar_filter.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace speech {
namespace {

constexpr std::size_t kBits = 64;

std::size_t common_bytes(std::string_view a, std::string_view b) {
  const auto end = std::ranges::mismatch(a, b);
  return static_cast<std::size_t>(end.in1 - a.begin());
}

/// The first eight bytes as a number of their order: settles nearly every comparison.
std::uint64_t prefix_of(std::string_view bytes) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    prefix = prefix << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  }
  return prefix;
}

}  // namespace

GrammarFilter::GrammarFilter(GrammarMatcher matcher, const Vocabulary& vocabulary)
    : matcher_(std::move(matcher)), vocabulary_(vocabulary) {
  struct Keyed {
    std::uint64_t prefix;
    Token token;
  };
  std::vector<Keyed> keyed;
  keyed.reserve(static_cast<std::size_t>(vocabulary.special().eot));
  for (Token token = 0; token < vocabulary.special().eot; ++token) {
    keyed.push_back({prefix_of(vocabulary.bytes(token)), token});
  }
  std::ranges::sort(keyed, [&](const Keyed& a, const Keyed& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : vocabulary.bytes(a.token) < vocabulary.bytes(b.token);
  });
  words_.reserve(keyed.size());
  for (const Keyed& word : keyed) {
    words_.push_back({word.token, 0, 0});
  }
  std::string_view before;
  std::size_t longest = 0;
  for (Word& word : words_) {
    const std::string_view bytes = vocabulary.bytes(word.token);
    word.common = static_cast<std::uint32_t>(common_bytes(before, bytes));
    word.rest = static_cast<std::uint32_t>(bytes.size()) - word.common;
    rests_ += bytes.substr(word.common);
    longest = std::max(longest, bytes.size());
    before = bytes;
  }
  path_.resize(longest + 1);
  answers_.reserve(kKept);
}

Result<GrammarFilter> GrammarFilter::create(Grammar grammar, const Vocabulary& vocabulary,
                                            const GrammarLimits& limits) {
  SPEECH_ASSIGN_OR_RETURN(GrammarMatcher matcher, GrammarMatcher::create(std::move(grammar), limits));
  return GrammarFilter(std::move(matcher), vocabulary);
}

GrammarState GrammarFilter::begin() {
  const std::size_t n_before = matcher_.n_sets();
  const bool was_whole = matcher_.status().is_ok();
  const GrammarState state = matcher_.begin();
  if (!was_whole || matcher_.n_sets() < n_before) {  // the numbers of the sets begin anew
    answers_.clear();
    answer_numbers_.clear();
  }
  return state;
}

GrammarState GrammarFilter::after(GrammarState state, Token token) {
  return vocabulary_.is_text(token) ? matcher_.after(state, vocabulary_.bytes(token)) : state;
}

/// Sets the bit of every text token that may not follow.
void GrammarFilter::walk(GrammarState state, std::vector<std::uint64_t>& bits) {
  path_[0] = state;
  std::size_t n_good = 0;  // bytes of the last word up to which path_ holds: as far as it was allowed
  std::string_view rests = rests_;
  for (const Word& word : words_) {
    const std::string_view rest = rests.substr(0, word.rest);
    rests.remove_prefix(word.rest);
    const std::size_t size = word.common + rest.size();
    // A word that shares more than the allowed bytes with the one before fails where that failed. An empty word would
    // get nowhere.
    if (word.common <= n_good && size > 0) {
      n_good = word.common;
      for (std::size_t i = 0; i < rest.size(); ++i) {
        const GrammarState next = matcher_.after(path_[n_good], rest.substr(i, 1));
        if (next.is_broken()) {
          break;
        }
        path_[++n_good] = next;
      }
      if (n_good == size) {
        continue;
      }
    }
    const auto token = static_cast<std::size_t>(word.token);
    bits[token / kBits] |= std::uint64_t{1} << (token % kBits);
  }
}

const std::vector<std::uint64_t>& GrammarFilter::rejected(GrammarState state) {
  const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(state.set)) << 32U) | state.part;
  if (const auto found = answer_numbers_.find(key); found != answer_numbers_.end()) {
    return answers_[found->second];
  }
  if (answers_.size() == kKept) {
    answers_.clear();
    answer_numbers_.clear();
  }
  std::vector<std::uint64_t>& bits = answers_.emplace_back((words_.size() + kBits - 1) / kBits, 0);
  walk(state, bits);
  answer_numbers_.emplace(key, answers_.size() - 1);
  return bits;
}

void GrammarFilter::apply(GrammarState state, float penalty, std::span<float> logits) {
  if (state.is_broken()) {
    return;
  }
  const std::span<float> text = logits.first(words_.size());
  if (matcher_.is_finished(state)) {
    std::ranges::fill(text, -std::numeric_limits<float>::infinity());
    return;
  }
  const std::vector<std::uint64_t>& bits = rejected(state);
  for (std::size_t token = 0; token < text.size(); ++token) {
    if ((bits[token / kBits] >> (token % kBits) & 1U) != 0) {
      text[token] -= penalty;
    }
  }
  if (!matcher_.is_complete(state)) {
    logits[words_.size()] -= penalty;  // end of text follows the last text token
  }
}

}  // namespace speech
