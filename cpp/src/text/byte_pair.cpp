// Byte-pair merging with a heap of candidate pairs over a linked list of pieces.
#include "text/byte_pair.h"

#include <algorithm>
#include <cassert>
#include <queue>
#include <utility>

namespace speech {
namespace {

std::uint64_t prefix_of(std::string_view bytes) {
  std::uint64_t prefix = 0;
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    prefix = (prefix << 8U) | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
  }
  return prefix;
}

/// Two neighbouring pieces that together are the word `token`: bytes [begin, end).
struct Candidate {
  Token token;
  std::uint32_t begin;
  std::uint32_t end;
};

/// For a heap whose top is the lowest id, leftmost first.
struct ComesLater {
  bool operator()(const Candidate& a, const Candidate& b) const {
    return std::pair(a.token, a.begin) > std::pair(b.token, b.begin);
  }
};

/// The pieces of one word, each named by the offset of its first byte.
class Merger {
 public:
  Merger(const WordIndex& index, std::string_view word) : index_(index), word_(word), pieces_(word.size()) {
    for (std::uint32_t i = 0; i < size(); ++i) {
      const auto token = index.find_byte(static_cast<std::uint8_t>(word[i]));
      assert(token.has_value());
      pieces_[i] = {token.value_or(0), i == 0 ? kNone : i - 1, i + 1};
    }
    std::vector<Candidate> candidates;
    for (std::uint32_t i = 0; i + 1 < size(); ++i) {
      if (const auto candidate = pair_at(i)) {
        candidates.push_back(*candidate);
      }
    }
    heap_ = decltype(heap_)(ComesLater(), std::move(candidates));
  }

  void merge_all() {
    while (!heap_.empty()) {
      const Candidate best = heap_.top();
      heap_.pop();
      if (is_current(best)) {
        merge(best);
      }
    }
  }

  void append_to(std::vector<Token>& out) const {
    for (std::uint32_t i = 0; i < size(); i = pieces_[i].next) {
      out.push_back(pieces_[i].token);
    }
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Piece {
    Token token;  // kMerged if the piece has become part of the one before it
    std::uint32_t previous;
    std::uint32_t next;  // also the end of this piece; size() behind the last
  };
  static constexpr Token kMerged = -1;

  std::uint32_t size() const { return static_cast<std::uint32_t>(word_.size()); }

  std::optional<Candidate> pair_at(std::uint32_t begin) const {
    const std::uint32_t middle = pieces_[begin].next;
    if (middle == size()) {
      return {};
    }
    const std::uint32_t end = pieces_[middle].next;
    if (end - begin > index_.longest_bytes()) {
      return {};
    }
    const auto token = index_.find(word_.substr(begin, end - begin));
    return token ? std::optional(Candidate{*token, begin, end}) : std::nullopt;
  }

  /// False for candidates whose pieces have been merged otherwise since.
  bool is_current(const Candidate& candidate) const {
    const Piece& first = pieces_[candidate.begin];
    return first.token != kMerged && first.next < size() && pieces_[first.next].next == candidate.end;
  }

  void merge(const Candidate& candidate) {
    Piece& first = pieces_[candidate.begin];
    pieces_[first.next].token = kMerged;
    first.token = candidate.token;
    first.next = candidate.end;
    if (candidate.end < size()) {
      pieces_[candidate.end].previous = candidate.begin;
    }
    push_pair_at(candidate.begin);
    if (first.previous != kNone) {
      push_pair_at(first.previous);
    }
  }

  void push_pair_at(std::uint32_t begin) {
    if (const auto candidate = pair_at(begin)) {
      heap_.push(*candidate);
    }
  }

  const WordIndex& index_;
  std::string_view word_;
  std::vector<Piece> pieces_;
  std::priority_queue<Candidate, std::vector<Candidate>, ComesLater> heap_;
};

}  // namespace

WordIndex::WordIndex(std::vector<std::string> words, std::size_t n_text) : words_(std::move(words)) {
  assert(n_text <= words_.size());
  sorted_.reserve(n_text);
  for (std::size_t i = 0; i < n_text; ++i) {
    const std::string& word = words_[i];
    longest_bytes_ = std::max(longest_bytes_, word.size());
    sorted_.push_back({prefix_of(word), static_cast<Token>(i)});
    if (word.size() == 1) {
      std::optional<Token>& slot = byte_tokens_[static_cast<unsigned char>(word[0])];
      slot = slot.value_or(static_cast<Token>(i));
    }
  }
  std::sort(sorted_.begin(), sorted_.end(), [this](const Entry& a, const Entry& b) {
    if (a.prefix != b.prefix) {
      return a.prefix < b.prefix;
    }
    const int order = words_[static_cast<std::size_t>(a.token)].compare(words_[static_cast<std::size_t>(b.token)]);
    return order != 0 ? order < 0 : a.token < b.token;
  });
}

std::optional<Token> WordIndex::find(std::string_view bytes) const {
  const std::uint64_t prefix = prefix_of(bytes);
  const auto found = std::lower_bound(
      sorted_.begin(), sorted_.end(), bytes, [this, prefix](const Entry& entry, std::string_view wanted) {
        return entry.prefix != prefix ? entry.prefix < prefix : words_[static_cast<std::size_t>(entry.token)] < wanted;
      });
  if (found == sorted_.end() || words_[static_cast<std::size_t>(found->token)] != bytes) {
    return {};
  }
  return found->token;
}

void append_byte_pair_tokens(const WordIndex& index, std::string_view word, std::vector<Token>& out) {
  assert(word.size() <= kMaxWordBytes);
  if (const auto whole = index.find(word)) {
    out.push_back(*whole);
    return;
  }
  Merger merger(index, word);
  merger.merge_all();
  merger.append_to(out);
}

}  // namespace speech
