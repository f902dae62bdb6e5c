// A place in grammar text: what stands there, and how an error names it. Knows characters, escapes and comments, no
// rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace speech {

class GrammarCursor {
 protected:
  explicit GrammarCursor(std::string_view text) : text_(text) {}

  bool is_end() const { return at_ >= text_.size(); }
  char peek() const { return is_end() ? '\0' : text_[at_]; }

  /// Moves behind `expected` if that stands here.
  bool take(std::string_view expected);

  /// Moves behind blanks and comments, and behind ends of lines too if `newlines`.
  void skip_space(bool newlines);

  /// One character, escaped or not; there must be one.
  Result<std::uint32_t> character();

  /// bad_format if the text is too long or not UTF-8.
  Status check_bytes() const;

  /// bad_format with line and column of a place, or of this one.
  Status error_at(std::size_t at, const std::string& message) const;
  Status error(const std::string& message) const { return error_at(at_, message); }

  /// "found 'x'; expected ..."
  Status unexpected(const std::string& expected) const;

  std::string_view text_;
  std::size_t at_ = 0;

 private:
  Result<std::uint32_t> hex(std::size_t begin, int n_digits);
};

}  // namespace speech
