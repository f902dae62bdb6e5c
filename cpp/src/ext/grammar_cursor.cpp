// Blanks, comments, characters and places of grammar text.
#include "ext/grammar_cursor.h"

#include <algorithm>
#include <optional>

#include "ext/grammar_text.h"
#include "text/utf8.h"

namespace speech {
namespace {

std::optional<std::uint32_t> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint32_t>(c - 'A' + 10);
  return std::nullopt;
}

}  // namespace

bool GrammarCursor::take(std::string_view expected) {
  if (text_.substr(at_, expected.size()) != expected) {
    return false;
  }
  at_ += expected.size();
  return true;
}

void GrammarCursor::skip_space(bool newlines) {
  while (!is_end()) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == ' ' || c == '\t' || (newlines && (c == '\n' || c == '\r'))) {
      ++at_;
    } else {
      return;
    }
  }
}

Status GrammarCursor::error_at(std::size_t at, const std::string& message) const {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i < at && i < text_.size();) {
    const bool is_newline = text_[i] == '\n';
    line += is_newline ? 1 : 0;
    column = is_newline ? 1 : column + 1;
    i += next_utf8(text_, i).bytes;
  }
  return {Code::kBadFormat,
          "grammar, line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + message};
}

Status GrammarCursor::unexpected(const std::string& expected) const {
  if (is_end()) {
    return error("the grammar ends here; expected " + expected);
  }
  const std::string_view found = text_.substr(at_, next_utf8(text_, at_).bytes);
  return error((found == "\n" || found == "\r" ? "the line ends here" : "found '" + std::string(found) + "'") +
               "; expected " + expected);
}

Status GrammarCursor::check_bytes() const {
  if (text_.size() > kMaxGrammarTextBytes) {
    return {Code::kBadFormat, "the grammar has " + std::to_string(text_.size()) + " bytes; expected at most " +
                                  std::to_string(kMaxGrammarTextBytes)};
  }
  for (std::size_t at = 0; at < text_.size();) {
    const Utf8Step step = next_utf8(text_, at);
    if (!step.well_formed) {
      return error_at(at, "this is no UTF-8");
    }
    at += step.bytes;
  }
  return Status::ok();
}

Result<std::uint32_t> GrammarCursor::character() {
  if (peek() != '\\') {
    const Utf8Step step = next_utf8(text_, at_);
    at_ += step.bytes;
    return static_cast<std::uint32_t>(step.character);
  }
  const std::size_t begin = at_++;
  const char c = peek();
  at_ += is_end() ? 0 : 1;
  switch (c) {
    case 'n': return std::uint32_t{'\n'};
    case 'r': return std::uint32_t{'\r'};
    case 't': return std::uint32_t{'\t'};
    case '\\':
    case '"':
    case '[':
    case ']':
    case '-':
    case '^': return static_cast<std::uint32_t>(c);
    case 'x': return hex(begin, 2);
    case 'u': return hex(begin, 4);
    case 'U': return hex(begin, 8);
    default:
      return error_at(begin,
                      "no such escape; expected \\n \\r \\t \\\\ \\\" \\[ \\] \\- \\^ \\xHH \\uHHHH or \\UHHHHHHHH");
  }
}

Result<std::uint32_t> GrammarCursor::hex(std::size_t begin, int n_digits) {
  std::uint32_t value = 0;
  for (int i = 0; i < n_digits; ++i, ++at_) {
    const std::optional<std::uint32_t> digit = hex_digit(peek());
    if (!digit) {
      return unexpected(std::to_string(n_digits) + " hexadecimal digits");
    }
    value = value * 16 + *digit;
  }
  if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
    return error_at(begin, "this escape is no character; expected a code point up to 10FFFF, no surrogate");
  }
  return value;
}

}  // namespace speech
