// Reads the syntax by recursive descent; groups, and so the recursion, are bounded.
#include "decode/pattern_tree.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "decode/pattern.h"
#include "text/utf8.h"

namespace speech {
namespace {

using Ranges = CharacterRanges;
using Node = PatternTree::Node;

const Ranges& digits() {
  static const Ranges kRanges = {{U'0', U'9'}};
  return kRanges;
}
const Ranges& words() {
  static const Ranges kRanges = {{U'0', U'9'}, {U'A', U'Z'}, {U'_', U'_'}, {U'a', U'z'}};
  return kRanges;
}
const Ranges& spaces() {
  static const Ranges kRanges = {{U'\t', U'\r'}, {U' ', U' '}};
  return kRanges;
}

std::optional<Ranges> named_class(std::string_view name) {
  struct Named {
    std::string_view name;
    Ranges ranges;
  };
  static const std::array<Named, 9> kClasses = {{
      {"alnum", {{U'0', U'9'}, {U'A', U'Z'}, {U'a', U'z'}}},
      {"alpha", {{U'A', U'Z'}, {U'a', U'z'}}},
      {"blank", {{U'\t', U'\t'}, {U' ', U' '}}},
      {"digit", {{U'0', U'9'}}},
      {"lower", {{U'a', U'z'}}},
      {"punct", {{U'!', U'/'}, {U':', U'@'}, {U'[', U'`'}, {U'{', U'~'}}},
      {"space", {{U'\t', U'\r'}, {U' ', U' '}}},
      {"upper", {{U'A', U'Z'}}},
      {"xdigit", {{U'0', U'9'}, {U'A', U'F'}, {U'a', U'f'}}},
  }};
  for (const Named& named : kClasses) {
    if (named.name == name) {
      return named.ranges;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> hex_digit(char32_t c) {
  if (c >= U'0' && c <= U'9') return c - U'0';
  if (c >= U'a' && c <= U'f') return c - U'a' + 10;
  if (c >= U'A' && c <= U'F') return c - U'A' + 10;
  return std::nullopt;
}

bool is_letter_or_digit(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9');
}

class PatternParser {
 public:
  Result<PatternTree> run(std::string_view pattern) {
    if (pattern.size() > kMaxPatternBytes) {
      return Status(Code::kInvalidArgument, "the pattern has " + std::to_string(pattern.size()) +
                                                " bytes; expected at most " + std::to_string(kMaxPatternBytes));
    }
    for (std::size_t at = 0; at < pattern.size();) {
      const Utf8Step step = next_utf8(pattern, at);
      if (!step.well_formed) {
        at_ = text_.size();
        return error("this is no UTF-8");
      }
      text_.push_back(step.character);
      at += step.bytes;
    }
    SPEECH_ASSIGN_OR_RETURN(tree_.root, either());
    if (at_ < text_.size()) {
      return error("found ')' that closes nothing");
    }
    return std::move(tree_);
  }

 private:
  Status error(const std::string& text, Code code = Code::kInvalidArgument) const {
    return {code, "pattern, character " + std::to_string(at_ + 1) + ": " + text};
  }

  bool take(char32_t c) {
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  bool take(std::u32string_view expected) {
    if (text_.compare(at_, expected.size(), expected) == 0) {
      at_ += expected.size();
      return true;
    }
    return false;
  }

  std::size_t node(Node value) {
    tree_.nodes.push_back(std::move(value));
    return tree_.nodes.size() - 1;
  }
  std::size_t set_node(Ranges ranges) {
    tree_.sets.push_back(joined(std::move(ranges)));
    return node({.kind = Node::Kind::kSet, .set = static_cast<std::uint32_t>(tree_.sets.size() - 1)});
  }
  std::size_t place_node(PatternStep place) { return node({.kind = Node::Kind::kPlace, .place = place}); }

  Result<std::size_t> either() {
    Node choices = {.kind = Node::Kind::kEither};
    do {
      Node sequence;
      while (at_ < text_.size() && text_[at_] != U'|' && text_[at_] != U')') {
        SPEECH_ASSIGN_OR_RETURN(const std::size_t part, term());
        sequence.parts.push_back(part);
      }
      choices.parts.push_back(node(std::move(sequence)));
    } while (take(U'|'));
    return node(std::move(choices));
  }

  Result<std::size_t> term() {
    if (take(U'^')) {
      return place_node(PatternStep::kBegin);
    }
    if (take(U'$')) {
      return place_node(PatternStep::kEnd);
    }
    if (take(U"\\b")) {
      return place_node(PatternStep::kBoundary);
    }
    if (take(U"\\B")) {
      return place_node(PatternStep::kNoBoundary);
    }
    for (const auto& [begin, kind] :
         {std::pair(U"(?=", PatternStep::kAhead), std::pair(U"(?!", PatternStep::kNotAhead)}) {
      if (take(begin)) {
        if (++n_ahead_ > kMaxLookahead) {
          return error("look-aheads lie deeper than " + std::to_string(kMaxLookahead));
        }
        SPEECH_ASSIGN_OR_RETURN(const std::size_t inside, group());
        --n_ahead_;
        return node({.kind = Node::Kind::kAhead, .parts = {inside}, .place = kind});
      }
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t atom, this->atom());
    return repeated(atom);
  }

  /// What follows a group's beginning, up to and with its ')'.
  Result<std::size_t> group() {
    const std::size_t begin = at_;
    if (++depth_ > kMaxPatternDepth) {
      return error("groups lie deeper than " + std::to_string(kMaxPatternDepth));
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t inside, either());
    --depth_;
    if (!take(U')')) {
      at_ = begin - 1;
      return error("this group is not closed; expected ')'");
    }
    return inside;
  }

  Result<std::size_t> atom() {
    const char32_t c = text_[at_];
    if (take(U"(?:") || (c == U'(' && text_.compare(at_, 2, U"(?") != 0 && take(U'('))) {
      return group();
    }
    if (c == U'(') {
      return error("found a group of an unknown kind; expected (?: (?= or (?!");
    }
    if (c == U'*' || c == U'+' || c == U'?' || c == U'{') {
      return error("there is nothing before this to repeat");
    }
    if (take(U'.')) {
      return set_node(complement({{U'\n', U'\n'}, {U'\r', U'\r'}, {0x2028, 0x2029}}));
    }
    if (take(U'[')) {
      return character_class();
    }
    if (c == U'\\') {
      SPEECH_ASSIGN_OR_RETURN(Ranges ranges, escape(false));
      return set_node(std::move(ranges));
    }
    ++at_;
    return set_node({{c, c}});
  }

  Result<std::size_t> repeated(std::size_t atom) {
    std::uint32_t least = 0;
    std::uint32_t most = PatternTree::kUnbounded;
    if (take(U'+')) {
      least = 1;
    } else if (take(U'?')) {
      most = 1;
    } else if (take(U'{')) {
      SPEECH_ASSIGN_OR_RETURN(least, count());
      most = least;
      if (take(U',')) {
        most = PatternTree::kUnbounded;
        if (at_ < text_.size() && text_[at_] != U'}') {
          SPEECH_ASSIGN_OR_RETURN(most, count());
        }
      }
      if (!take(U'}')) {
        return error("expected '}' after the counts of a repetition");
      }
      if (most < least) {
        return error("the repetition's second count is below its first");
      }
    } else if (!take(U'*')) {
      return atom;
    }
    take(U'?');  // as few as possible first: no difference for whole texts
    if (at_ < text_.size() && (text_[at_] == U'*' || text_[at_] == U'+' || text_[at_] == U'?' || text_[at_] == U'{')) {
      return error("there is nothing before this to repeat");
    }
    return node({.kind = Node::Kind::kRepeat, .parts = {atom}, .least = least, .most = most});
  }

  Result<std::uint32_t> count() {
    std::uint32_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && text_[at_] >= U'0' && text_[at_] <= U'9'; ++at_) {
      value = value * 10 + (text_[at_] - U'0');
      if (value > kMaxPatternInstructions) {
        return error("the repetition's count is too large; expected at most " +
                     std::to_string(kMaxPatternInstructions));
      }
    }
    if (at_ == begin) {
      return error("expected a count");
    }
    return value;
  }

  /// What '\' and what follows it stand for: one character, or a class.
  Result<Ranges> escape(bool in_class) {
    ++at_;
    if (at_ == text_.size()) {
      return error("the pattern ends after '\\'");
    }
    const char32_t c = text_[at_++];
    const auto one = [](char32_t character) { return Ranges{{character, character}}; };
    switch (c) {
      case U'd': return digits();
      case U'D': return complement(digits());
      case U'w': return words();
      case U'W': return complement(words());
      case U's': return spaces();
      case U'S': return complement(spaces());
      case U't': return one(U'\t');
      case U'n': return one(U'\n');
      case U'r': return one(U'\r');
      case U'f': return one(U'\f');
      case U'v': return one(U'\v');
      case U'0': return one(0);
      case U'x': return hex(2);
      case U'u': return hex(4);
      case U'c':
        if (at_ < text_.size() && is_letter_or_digit(text_[at_]) && text_[at_] > U'9') {
          return one(text_[at_++] % 32);
        }
        return error("expected a letter after \\c");
      case U'b':
        if (in_class) {
          return one(U'\b');
        }
        break;
      default: break;
    }
    if (c >= U'1' && c <= U'9') {
      --at_;
      return error("back-references are not supported", Code::kUnsupported);
    }
    if (is_letter_or_digit(c)) {
      --at_;
      return error("no such escape");
    }
    return one(c);
  }

  Result<Ranges> hex(int n_digits) {
    char32_t value = 0;
    for (int i = 0; i < n_digits; ++i, ++at_) {
      const std::optional<std::uint32_t> digit = at_ < text_.size() ? hex_digit(text_[at_]) : std::nullopt;
      if (!digit) {
        return error("expected " + std::to_string(n_digits) + " hexadecimal digits");
      }
      value = value * 16 + *digit;
    }
    return Ranges{{value, value}};
  }

  /// What follows '[', up to and with the ']'.
  Result<std::size_t> character_class() {
    const std::size_t begin = at_;
    const bool negated = take(U'^');
    Ranges ranges;
    while (!take(U']')) {
      if (at_ >= text_.size()) {
        at_ = begin - 1;
        return error("this class is not closed; expected ']'");
      }
      SPEECH_ASSIGN_OR_RETURN(Ranges item, class_item());
      const bool is_one = item.size() == 1 && item[0].first == item[0].last;
      const bool has_range = at_ + 1 < text_.size() && text_[at_] == U'-' && text_[at_ + 1] != U']';
      if (has_range && is_one) {
        ++at_;
        SPEECH_ASSIGN_OR_RETURN(const Ranges end, class_item());
        if (end.size() != 1 || end[0].first != end[0].last || end[0].first < item[0].first) {
          return error("a range of a class goes backwards, or ends with a class");
        }
        item[0].last = end[0].first;
      }
      ranges.insert(ranges.end(), item.begin(), item.end());
    }
    return set_node(negated ? complement(std::move(ranges)) : std::move(ranges));
  }

  Result<Ranges> class_item() {
    if (take(U"[:")) {
      std::string name;
      for (; at_ < text_.size() && text_[at_] >= U'a' && text_[at_] <= U'z'; ++at_) {
        name.push_back(static_cast<char>(text_[at_]));
      }
      std::optional<Ranges> ranges = named_class(name);
      if (!ranges || !take(U":]")) {
        return error("no such named class");
      }
      return *std::move(ranges);
    }
    if (text_.compare(at_, 2, U"[.") == 0 || text_.compare(at_, 2, U"[=") == 0) {
      return error("collating elements are not supported", Code::kUnsupported);
    }
    if (text_[at_] == U'\\') {
      return escape(true);
    }
    const char32_t c = text_[at_++];
    return Ranges{{c, c}};
  }

  std::u32string text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int n_ahead_ = 0;
  PatternTree tree_;
};

}  // namespace

Result<PatternTree> parse_pattern(std::string_view pattern) { return PatternParser().run(pattern); }

}  // namespace speech
