// Recursive descent over GBNF. Groups and repetitions become rules of their own, which no text can name.
#include "ext/grammar_text.h"

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "decode/grammar.h"
#include "ext/grammar_cursor.h"

namespace speech {
namespace {

using Element = whisper_grammar_element;
using Elements = std::vector<Element>;

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();
constexpr unsigned kUnbounded = std::numeric_limits<unsigned>::max();

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

GrammarRules to_core(const std::vector<Elements>& rules) {
  GrammarRules out;
  out.reserve(rules.size());
  for (const Elements& rule : rules) {
    std::vector<GrammarElement>& elements = out.emplace_back();
    for (const Element& element : rule) {
      elements.push_back({static_cast<GrammarElementKind>(element.type), element.value});
    }
  }
  return out;
}

class GrammarParser : private GrammarCursor {
 public:
  explicit GrammarParser(std::string_view text) : GrammarCursor(text) {}

  Result<GrammarText> run(std::string_view start_rule) {
    SPEECH_RETURN_IF_ERROR(check_bytes());
    skip_space(true);
    if (is_end()) {
      return error("the grammar is blank; expected a rule, such as root ::= \" yes\" | \" no\"");
    }
    while (!is_end()) {
      SPEECH_RETURN_IF_ERROR(rule());
      skip_space(true);
    }
    for (const Named& named : named_) {
      if (named.defined_at == kNowhere) {
        return error_at(named.used_at, "no rule is named '" + named.name + "'");
      }
    }
    const auto start = numbers_.find(start_rule);
    if (start == numbers_.end()) {
      return error("no rule is named '" + std::string(start_rule) + "', which is where the grammar starts");
    }
    const std::size_t start_index = named_[start->second].rule;
    if (const std::optional<GrammarFault> fault = Grammar::find_fault(to_core(rules_), start_index)) {
      const Named& named = named_[owner_[fault->rule]];
      return error_at(named.defined_at, "rule '" + named.name + "' " + fault->text);
    }
    return GrammarText{std::move(rules_), start_index};
  }

 private:
  struct Named {
    std::string name;
    std::size_t rule = 0;
    std::size_t used_at = kNowhere;
    std::size_t defined_at = kNowhere;
  };

  // ---- rules ----

  Result<std::size_t> new_rule() {
    if (rules_.size() >= kMaxGrammarElements) {
      return error("the grammar is too large; expected at most " + std::to_string(kMaxGrammarElements) + " rules");
    }
    rules_.emplace_back();
    owner_.push_back(current_);
    return rules_.size() - 1;
  }

  Status set_rule(std::size_t index, Elements elements) {
    elements.push_back({WHISPER_GRETYPE_END, 0});
    n_elements_ += elements.size();
    if (n_elements_ > kMaxGrammarElements) {
      return error("the grammar is too large; expected at most " + std::to_string(kMaxGrammarElements) +
                   " elements in all rules together");
    }
    rules_[index] = std::move(elements);
    return Status::ok();
  }

  /// The rule of a name, which begins here; `named` is set to its record.
  Result<std::size_t> name(std::size_t& named) {
    const std::size_t begin = at_;
    while (!is_end() && is_name(text_[at_])) {
      ++at_;
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (const auto found = numbers_.find(word); found != numbers_.end()) {
      named = found->second;
      return named_[named].rule;
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t index, new_rule());
    named = named_.size();
    owner_[index] = named;
    numbers_.emplace(word, named);
    named_.push_back({std::string(word), index, begin, kNowhere});
    return index;
  }

  Status rule() {
    const std::size_t begin = at_;
    if (!is_name(peek())) {
      return unexpected("the name of a rule");
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t index, name(current_));
    Named& named = named_[current_];
    if (named.defined_at != kNowhere) {
      return error_at(begin, "rule '" + named.name + "' is defined a second time");
    }
    named.defined_at = begin;
    skip_space(false);
    if (!take("::=")) {
      return unexpected("'::=' after the name of a rule");
    }
    skip_space(true);
    SPEECH_RETURN_IF_ERROR(alternatives(index, 0));
    if (!is_end() && peek() != '\n' && peek() != '\r') {
      return unexpected("text, a class, a name, a group, '|' or the end of the line");
    }
    return Status::ok();
  }

  /// depth: groups around it; 0 is a rule's own line.
  Status alternatives(std::size_t index, int depth) {
    Elements elements;
    while (true) {
      SPEECH_RETURN_IF_ERROR(sequence(elements, depth));
      const std::size_t end = at_;
      skip_space(true);  // a | may begin the next line
      if (!take("|")) {
        at_ = depth > 0 ? at_ : end;
        return set_rule(index, std::move(elements));
      }
      elements.push_back({WHISPER_GRETYPE_ALT, 0});
      skip_space(true);
    }
  }

  Status sequence(Elements& elements, int depth) {
    std::size_t last = kNowhere;  // where the item begins that a repetition would repeat
    while (!is_end()) {
      const char c = peek();
      const std::size_t begin = elements.size();
      if (c == '"') {
        SPEECH_RETURN_IF_ERROR(literal(elements));
      } else if (c == '[') {
        SPEECH_RETURN_IF_ERROR(character_class(elements));
      } else if (c == '.') {
        ++at_;
        elements.push_back({WHISPER_GRETYPE_CHAR, 0});
        elements.push_back({WHISPER_GRETYPE_CHAR_RNG_UPPER, 0x10FFFF});
      } else if (c == '(') {
        SPEECH_RETURN_IF_ERROR(group(elements, depth));
      } else if (is_name(c)) {
        std::size_t named = 0;
        SPEECH_ASSIGN_OR_RETURN(const std::size_t index, name(named));
        elements.push_back({WHISPER_GRETYPE_RULE_REF, static_cast<std::uint32_t>(index)});
      } else if (c == '*' || c == '+' || c == '?' || c == '{') {
        if (last == kNowhere) {
          return unexpected("something before it to repeat");
        }
        SPEECH_RETURN_IF_ERROR(repetition(elements, last));
        skip_space(depth > 0);
        continue;
      } else {
        return Status::ok();
      }
      last = begin;
      skip_space(depth > 0);
    }
    return Status::ok();
  }

  Status group(Elements& elements, int depth) {
    const std::size_t begin = at_++;
    if (depth >= kMaxGrammarDepth) {
      return error_at(begin, "groups lie deeper in each other than " + std::to_string(kMaxGrammarDepth));
    }
    skip_space(true);
    SPEECH_ASSIGN_OR_RETURN(const std::size_t index, new_rule());
    SPEECH_RETURN_IF_ERROR(alternatives(index, depth + 1));
    if (is_end()) {
      return error_at(begin, "this group is not closed; expected ')'");
    }
    if (!take(")")) {
      return unexpected("text, a class, a name, a group, '|' or ')'");
    }
    elements.push_back({WHISPER_GRETYPE_RULE_REF, static_cast<std::uint32_t>(index)});
    return Status::ok();
  }

  // ---- characters ----

  Status literal(Elements& elements) {
    const std::size_t begin = at_++;
    while (!take("\"")) {
      if (is_end()) {
        return error_at(begin, "this text is not closed; expected '\"'");
      }
      SPEECH_ASSIGN_OR_RETURN(const std::uint32_t value, character());
      elements.push_back({WHISPER_GRETYPE_CHAR, value});
    }
    return Status::ok();
  }

  Status character_class(Elements& elements) {
    const std::size_t begin = at_++;
    whisper_gretype kind = take("^") ? WHISPER_GRETYPE_CHAR_NOT : WHISPER_GRETYPE_CHAR;
    if (peek() == ']') {
      return error_at(begin, "this class is empty; expected a character");
    }
    while (!take("]")) {
      if (is_end()) {
        return error_at(begin, "this class is not closed; expected ']'");
      }
      const std::size_t item = at_;
      SPEECH_ASSIGN_OR_RETURN(const std::uint32_t first, character());
      elements.push_back({kind, first});
      kind = WHISPER_GRETYPE_CHAR_ALT;
      if (peek() == '-' && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        ++at_;
        SPEECH_ASSIGN_OR_RETURN(const std::uint32_t last, character());
        if (last < first) {
          return error_at(item, "this range goes backwards");
        }
        elements.push_back({WHISPER_GRETYPE_CHAR_RNG_UPPER, last});
      }
    }
    return Status::ok();
  }

  // ---- repetitions ----

  Result<unsigned> count() {
    unsigned value = 0;
    const std::size_t begin = at_;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      value = value * 10 + static_cast<unsigned>(peek() - '0');
      if (value > kMaxGrammarRepetition) {
        return error_at(begin, "this count is too large; expected at most " + std::to_string(kMaxGrammarRepetition));
      }
    }
    if (at_ == begin) {
      return unexpected("a count");
    }
    return value;
  }

  Status repetition(Elements& elements, std::size_t item_begin) {
    const std::size_t begin = at_;
    unsigned least = 0;
    unsigned most = kUnbounded;
    if (take("+")) {
      least = 1;
    } else if (take("?")) {
      most = 1;
    } else if (!take("*")) {
      take("{");
      skip_space(false);
      SPEECH_ASSIGN_OR_RETURN(least, count());
      most = least;
      skip_space(false);
      if (take(",")) {
        skip_space(false);
        most = kUnbounded;
        if (peek() != '}') {
          SPEECH_ASSIGN_OR_RETURN(most, count());
          skip_space(false);
        }
      }
      if (!take("}")) {
        return unexpected("'}' after the counts of a repetition");
      }
      if (most < least) {
        return error_at(begin, "the second count is smaller than the first");
      }
    }
    const auto item_at = elements.begin() + static_cast<std::ptrdiff_t>(item_begin);
    Elements item(item_at, elements.end());
    elements.resize(item_begin);
    return item.empty() ? Status::ok() : repeat(elements, std::move(item), least, most);
  }

  /// Appends the item at least and at most so often. More than the shortest items become a rule, so that a count
  /// multiplies references only.
  Status repeat(Elements& elements, Elements item, unsigned least, unsigned most) {
    if (item.size() > 2) {
      SPEECH_ASSIGN_OR_RETURN(const std::size_t index, new_rule());
      SPEECH_RETURN_IF_ERROR(set_rule(index, std::move(item)));
      item = {{WHISPER_GRETYPE_RULE_REF, static_cast<std::uint32_t>(index)}};
    }
    if (elements.size() + std::size_t{least} * item.size() > kMaxGrammarElements) {
      return error("the grammar is too large; expected at most " + std::to_string(kMaxGrammarElements) + " elements");
    }
    for (unsigned i = 0; i < least; ++i) {
      elements.insert(elements.end(), item.begin(), item.end());
    }
    // rest ::= item rest | nothing; or, so often as is left: rest ::= item next | nothing.
    const unsigned n_rest = most == kUnbounded ? 1 : most - least;
    if (n_rest == 0) {
      return Status::ok();
    }
    SPEECH_ASSIGN_OR_RETURN(std::size_t rest, new_rule());
    elements.push_back({WHISPER_GRETYPE_RULE_REF, static_cast<std::uint32_t>(rest)});
    for (unsigned i = 0; i < n_rest; ++i) {
      Elements body = item;
      std::size_t next = rest;
      if (most == kUnbounded || i + 1 < n_rest) {
        if (most != kUnbounded) {
          SPEECH_ASSIGN_OR_RETURN(next, new_rule());
        }
        body.push_back({WHISPER_GRETYPE_RULE_REF, static_cast<std::uint32_t>(next)});
      }
      body.push_back({WHISPER_GRETYPE_ALT, 0});
      SPEECH_RETURN_IF_ERROR(set_rule(rest, std::move(body)));
      rest = next;
    }
    return Status::ok();
  }

  std::vector<Elements> rules_;
  std::vector<std::size_t> owner_;  // by rule: the named one in whose line it was made
  std::vector<Named> named_;
  std::map<std::string, std::size_t, std::less<>> numbers_;  // into named_
  std::size_t current_ = 0;                                  // the named one being read
  std::size_t n_elements_ = 0;
};

}  // namespace

Result<GrammarText> parse_grammar(std::string_view text, std::string_view start_rule) {
  return GrammarParser(text).run(start_rule);
}

}  // namespace speech
