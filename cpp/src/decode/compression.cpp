// DEFLATE without its output: matches in the last 32 KiB, then the lengths of the codes that would say them.
#include "decode/compression.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace speech {
namespace {

constexpr std::size_t kMinMatch = 3;
constexpr std::size_t kMaxMatch = 258;
constexpr std::size_t kWindow = 32768;
// Matches keep this much away from the window's end, so that a longest one can still be read.
constexpr std::size_t kMaxDistance = kWindow - kMaxMatch - kMinMatch - 1;
constexpr std::size_t kTooFar = 4096;  // from here on, three bytes are said shorter as literals

// The effort of level 6.
constexpr int kChain = 128;         // earlier places looked at
constexpr std::size_t kGood = 8;    // a match of this length makes the next search a quarter as long
constexpr std::size_t kLazy = 16;   // a shorter match waits for a better one at the next byte
constexpr std::size_t kNice = 128;  // good enough to stop

constexpr std::size_t kBlockSymbols = 16383;
constexpr int kMaxCode = 15;
constexpr int kMaxLengthCode = 7;
constexpr std::size_t kLiterals = 286;
constexpr std::size_t kDistances = 30;
constexpr std::size_t kEndOfBlock = 256;
constexpr std::size_t kWrapperBytes = 6;  // header and checksum of the stream

/// The code of a value in a table of ranges that grow by powers of two, and the bits that tell where in the range.
struct Ranged {
  std::size_t code = 0;
  std::size_t extra_bits = 0;
};

/// `per_doubling`: codes for each doubling; ranges of one value up to twice as many.
Ranged ranged(std::size_t value, std::size_t per_doubling) {
  if (value < 2 * per_doubling) {
    return {value, 0};
  }
  std::size_t extra = 0;
  while (value >> extra >= 2 * per_doubling) {
    ++extra;
  }
  return {extra * per_doubling + (value >> extra), extra};
}

Ranged length_code(std::size_t length) {
  if (length == kMaxMatch) {
    return {kEndOfBlock + 29, 0};  // a code of its own
  }
  const Ranged found = ranged(length - kMinMatch, 4);
  return {kEndOfBlock + 1 + found.code, found.extra_bits};
}

Ranged distance_code(std::size_t distance) { return ranged(distance - 1, 2); }

/// Lengths of a Huffman code of at most `longest` bits; 0 for what never occurs. At least two symbols get one, as the
/// format wants it.
std::vector<int> code_lengths(std::span<const std::size_t> counts, int longest) {
  struct Tree {
    std::size_t count;
    int depth;
    std::size_t node;
    bool operator>(const Tree& other) const { return std::pair(count, depth) > std::pair(other.count, other.depth); }
  };
  std::vector<int> lengths(counts.size(), 0);
  std::priority_queue<Tree, std::vector<Tree>, std::greater<>> forest;
  std::vector<std::size_t> used;
  for (std::size_t symbol = 0; symbol < counts.size(); ++symbol) {
    if (counts[symbol] > 0) {
      used.push_back(symbol);
    }
  }
  for (std::size_t symbol = 0; used.size() < 2; ++symbol) {
    if (counts[symbol] == 0) {
      used.push_back(symbol);
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    forest.push({std::max<std::size_t>(counts[used[i]], 1), 0, i});
  }
  std::vector<std::size_t> parent(2 * used.size() - 1, 0);
  for (std::size_t node = used.size(); node < parent.size(); ++node) {
    const Tree a = forest.top();
    forest.pop();
    const Tree b = forest.top();
    forest.pop();
    parent[a.node] = parent[b.node] = node;
    forest.push({a.count + b.count, std::max(a.depth, b.depth) + 1, node});
  }
  std::vector<int> depth(parent.size(), 0);  // the last node is the root
  std::vector<std::size_t> n_of_length(static_cast<std::size_t>(longest) + 1, 0);
  std::size_t n_too_long = 0;
  for (std::size_t node = parent.size() - 1; node-- > 0;) {
    depth[node] = depth[parent[node]] + 1;
    if (depth[node] > longest) {
      depth[node] = longest;
      ++n_too_long;
    }
    if (node < used.size()) {
      ++n_of_length[static_cast<std::size_t>(depth[node])];
    }
  }
  // Two leaves that lie too deep move below a leaf that lies higher, until all fit.
  for (; n_too_long > 0; n_too_long -= std::min<std::size_t>(n_too_long, 2)) {
    std::size_t bits = static_cast<std::size_t>(longest) - 1;
    while (n_of_length[bits] == 0) {
      --bits;
    }
    --n_of_length[bits];
    n_of_length[bits + 1] += 2;
    --n_of_length.back();
  }
  std::ranges::sort(used, [&](std::size_t a, std::size_t b) {  // most frequent first, then in order
    return counts[a] != counts[b] ? counts[a] > counts[b] : a < b;
  });
  std::size_t next = 0;
  for (std::size_t bits = 1; bits < n_of_length.size(); ++bits) {
    for (std::size_t i = 0; i < n_of_length[bits]; ++i) {
      lengths[used[next++]] = static_cast<int>(bits);
    }
  }
  return lengths;
}

/// Symbols that say a list of code lengths: 0..15 a length, 16 repeats the last one, 17 and 18 are runs of zeros.
void count_length_symbols(std::span<const int> lengths, std::span<std::size_t> counts, std::size_t& extra_bits) {
  int before = -1;
  for (std::size_t i = 0; i < lengths.size();) {
    std::size_t run = 1;
    while (i + run < lengths.size() && lengths[i + run] == lengths[i]) {
      ++run;
    }
    i += run;
    const int length = lengths[i - 1];
    while (run > 0) {
      const std::size_t most = length == 0 ? 138 : (length == before ? 6 : 7);
      const std::size_t n = std::min(run, most);
      const std::size_t least = length == 0 || length == before ? 3 : 4;
      if (n < least) {
        counts[static_cast<std::size_t>(length)] += n;
      } else if (length != 0) {
        counts[static_cast<std::size_t>(length)] += length == before ? 0 : 1;
        ++counts[16];
        extra_bits += 2;
      } else {
        ++counts[n <= 10 ? 17 : 18];
        extra_bits += n <= 10 ? 3 : 7;
      }
      run -= n;
      before = length;
    }
  }
}

std::size_t bits_of(std::span<const std::size_t> counts, std::span<const int> lengths) {
  std::size_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    bits += counts[i] * static_cast<std::size_t>(lengths[i]);
  }
  return bits;
}

/// What a block says, and how many bits that takes.
class Block {
 public:
  void add_literal(char c) {
    ++literals_[static_cast<unsigned char>(c)];
    ++n_symbols_;
    ++n_bytes_;
  }
  void add_match(std::size_t length, std::size_t distance) {
    const Ranged by_length = length_code(length);
    const Ranged by_distance = distance_code(distance);
    ++literals_[by_length.code];
    ++distances_[by_distance.code];
    extra_bits_ += by_length.extra_bits + by_distance.extra_bits;
    ++n_symbols_;
    n_bytes_ += length;
  }
  bool is_full() const { return n_symbols_ >= kBlockSymbols; }

  /// With codes made for it, with those of the format, or as it is: whichever is shortest.
  std::size_t bits() {
    literals_[kEndOfBlock] = 1;
    constexpr std::size_t kHead = 3;
    const std::size_t body = std::min(own_bits(), fixed_bits()) + kHead;
    const std::size_t stored = 8 * (n_bytes_ + 4) + kHead;  // its length twice; aligned to a byte
    return (stored + 7) / 8 <= (body + 7) / 8 ? (stored + 7) / 8 * 8 : body;
  }

 private:
  std::size_t own_bits() const {
    std::vector<int> literals = code_lengths(literals_, kMaxCode);
    std::vector<int> distances = code_lengths(distances_, kMaxCode);
    std::size_t bits = bits_of(literals_, literals) + bits_of(distances_, distances) + extra_bits_;
    for (std::vector<int>* lengths : {&literals, &distances}) {
      while (lengths->back() == 0) {
        lengths->pop_back();
      }
    }
    std::array<std::size_t, 19> counts{};
    std::size_t extra = 0;
    count_length_symbols(literals, counts, extra);
    count_length_symbols(distances, counts, extra);
    const std::vector<int> lengths = code_lengths(counts, kMaxLengthCode);
    // Lengths of the lengths are said in this order, and those at the end that are 0 are not said.
    constexpr std::array<std::size_t, 19> kOrder = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::size_t n_said = kOrder.size();
    while (n_said > 4 && lengths[kOrder[n_said - 1]] == 0) {
      --n_said;
    }
    return bits + 5 + 5 + 4 + 3 * n_said + bits_of(counts, lengths) + extra;
  }

  std::size_t fixed_bits() const {
    std::size_t bits = extra_bits_;
    for (std::size_t i = 0; i < literals_.size(); ++i) {
      bits += literals_[i] * (i < 144 ? 8U : i < 256 ? 9U : i < 280 ? 7U : 8U);
    }
    return bits + 5 * std::accumulate(distances_.begin(), distances_.end(), std::size_t{0});
  }

  std::array<std::size_t, kLiterals> literals_{};
  std::array<std::size_t, kDistances> distances_{};
  std::size_t extra_bits_ = 0;
  std::size_t n_symbols_ = 0;
  std::size_t n_bytes_ = 0;
};

/// Earlier places by the three bytes that begin there.
class Places {
 public:
  explicit Places(std::string_view text)
      : text_(text), last_(kWindow, kNone), earlier_(std::min(text.size(), kWindow), kNone) {}

  /// Notes a place, which has at least three bytes; the one before with the same hash.
  std::uint32_t note(std::size_t at) {
    std::uint32_t& last = last_[hash(at)];
    const std::uint32_t before = last;
    earlier_[at % kWindow] = before;
    last = static_cast<std::uint32_t>(at);
    return before;
  }

  /// The longest match at `at` that is longer than `length`; its place and length, or length itself.
  std::pair<std::size_t, std::size_t> longest(std::size_t at, std::uint32_t place, std::size_t length) const {
    const std::size_t most = std::min(kMaxMatch, text_.size() - at);
    const std::size_t nice = std::min(kNice, most);
    std::size_t best_place = 0;
    int left = length >= kGood ? kChain / 4 : kChain;
    // The very first byte is no place for the original; a few bytes, but texts are short.
    while (place != kNone && place != 0 && at - place <= kMaxDistance && left-- > 0) {
      if (length < most && text_[place + length] == text_[at + length]) {
        std::size_t n = 0;
        while (n < most && text_[place + n] == text_[at + n]) {
          ++n;
        }
        if (n > length) {
          length = n;
          best_place = place;
          if (n >= nice) {
            break;
          }
        }
      }
      const std::uint32_t next = earlier_[place % kWindow];
      if (next != kNone && next >= place) {
        break;  // overwritten: out of the window
      }
      place = next;
    }
    return {best_place, std::min(length, most)};
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 private:
  std::size_t hash(std::size_t at) const {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text_[i])); };
    return ((byte(at) << 10U) ^ (byte(at + 1) << 5U) ^ byte(at + 2)) & (kWindow - 1);
  }

  std::string_view text_;
  std::vector<std::uint32_t> last_;     // by hash
  std::vector<std::uint32_t> earlier_;  // by place: the one before with the same hash
};

}  // namespace

std::size_t compressed_bytes(std::string_view text) {
  text = text.substr(0, Places::kNone - 1);
  Places places(text);
  Block block;
  std::size_t bits = 0;
  const auto flush_if_full = [&] {
    if (block.is_full()) {
      bits += block.bits();
      block = Block();
    }
  };
  std::size_t length = kMinMatch - 1;  // of the match at the byte before, which waits for a better one
  std::size_t place = 0;
  bool literal_waits = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t before = at + kMinMatch <= text.size() ? places.note(at) : Places::kNone;
    const std::size_t waiting_length = length;
    const std::size_t waiting_place = place;
    length = kMinMatch - 1;
    if (before != Places::kNone && waiting_length < kLazy) {
      std::tie(place, length) = places.longest(at, before, waiting_length);
      if (length <= waiting_length || (length == kMinMatch && at - place > kTooFar)) {
        length = kMinMatch - 1;
      }
    }
    if (waiting_length >= kMinMatch && length <= waiting_length) {
      block.add_match(waiting_length, at - 1 - waiting_place);
      const std::size_t end = at - 1 + waiting_length;
      for (++at; at < end; ++at) {
        if (at + kMinMatch <= text.size()) {
          places.note(at);
        }
      }
      literal_waits = false;
      length = kMinMatch - 1;
      flush_if_full();
      continue;
    }
    if (literal_waits) {
      block.add_literal(text[at - 1]);
      flush_if_full();
    }
    literal_waits = true;
    ++at;
  }
  if (literal_waits) {
    block.add_literal(text.back());
  }
  bits += block.bits();
  return kWrapperBytes + (bits + 7) / 8;
}

double compression_ratio(std::string_view text) {
  return text.empty() ? 0 : static_cast<double>(text.size()) / static_cast<double>(compressed_bytes(text));
}

}  // namespace speech
