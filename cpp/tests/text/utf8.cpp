// Holds the UTF-8 functions to the Unicode standard's tables 3-7 and 3-8 to 3-11 (what is well formed, what is
// replaced).
#include "text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace speech {
namespace {

const std::string kFffd = "\xEF\xBF\xBD";

std::string replacements(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) {
    out += kFffd;
  }
  return out;
}

struct Case {
  const char* what;
  std::string text;
  std::string sanitized;
  std::size_t incomplete;  // expected of incomplete_tail()
};

const std::vector<Case>& cases() {
  using namespace std::string_literals;
  static const std::vector<Case> all = {
      {"empty", "", "", 0},
      {"ASCII with a zero byte", "a\0b"s, "a\0b"s, 0},
      {"two bytes, smallest", "\xC2\x80", "\xC2\x80", 0},
      {"two bytes, largest", "\xDF\xBF", "\xDF\xBF", 0},
      {"three bytes, smallest", "\xE0\xA0\x80", "\xE0\xA0\x80", 0},
      {"below the surrogates", "\xED\x9F\xBF", "\xED\x9F\xBF", 0},
      {"above the surrogates", "\xEE\x80\x80", "\xEE\x80\x80", 0},
      {"four bytes, smallest", "\xF0\x90\x80\x80", "\xF0\x90\x80\x80", 0},
      {"U+10FFFF", "\xF4\x8F\xBF\xBF", "\xF4\x8F\xBF\xBF", 0},
      {"overlong slash in two bytes", "\xC0\xAF", replacements(2), 0},
      {"overlong in two bytes, C1", "\xC1\xBF", replacements(2), 0},
      {"overlong slash in three bytes", "\xE0\x80\xAF", replacements(3), 0},
      {"overlong slash in four bytes", "\xF0\x80\x80\xAF", replacements(4), 0},
      {"overlong, largest of three bytes", "\xE0\x9F\xBF", replacements(3), 0},
      {"overlong, largest of four bytes", "\xF0\x8F\xBF\xBF", replacements(4), 0},
      {"first surrogate", "\xED\xA0\x80", replacements(3), 0},
      {"last surrogate", "\xED\xBF\xBF", replacements(3), 0},
      {"surrogate pair", "\xED\xA1\x8C\xED\xBE\xB4", replacements(6), 0},
      {"U+110000", "\xF4\x90\x80\x80", replacements(4), 0},
      {"lead byte F5", "\xF5\x80\x80\x80", replacements(4), 0},
      {"bytes FE and FF", "\xFE\xFF", replacements(2), 0},
      {"continuations alone", "\x80\xBF", replacements(2), 0},
      {"cut two bytes", "a\xC3", std::string("a") + kFffd, 1},
      {"cut three bytes after one", "a\xE2", std::string("a") + kFffd, 1},
      {"cut three bytes after two", "a\xE2\x82", std::string("a") + kFffd, 2},
      {"cut four bytes after one", "a\xF0", std::string("a") + kFffd, 1},
      {"cut four bytes after two", "a\xF0\x9F", std::string("a") + kFffd, 2},
      {"cut four bytes after three", "a\xF0\x9F\x98", std::string("a") + kFffd, 3},
      {"cut overlong is not the begin of a character", "a\xE0\x80", std::string("a") + replacements(2), 0},
      {"cut surrogate is not the begin of a character", "a\xED\xA0", std::string("a") + replacements(2), 0},
      {"cut above U+10FFFF", "a\xF4\x90", std::string("a") + replacements(2), 0},
      {"cut behind a whole character", "\xC3\xA4\xC3", std::string("\xC3\xA4") + kFffd, 1},
      {"sequence broken by ASCII", "\xE2\x82z", kFffd + "z", 0},
      {"sequence broken by a lead byte", "\xF0\x9F\xC3\xA4", kFffd + "\xC3\xA4", 0},
      // The example of the standard's table 3-8.
      {"mixed", "\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64",
       std::string("a") + replacements(3) + std::string("b") + kFffd + "c" + replacements(2) + "d", 0},
  };
  return all;
}

TEST(Utf8, EachIllFormedPartBecomesOneReplacement) {
  for (const Case& c : cases()) {
    EXPECT_EQ(sanitize_utf8(c.text), c.sanitized) << c.what;
  }
}

TEST(Utf8, TextIsValidExactlyIfNothingWouldBeReplaced) {
  for (const Case& c : cases()) {
    EXPECT_EQ(is_valid_utf8(c.text), c.text == c.sanitized) << c.what;
    EXPECT_TRUE(is_valid_utf8(sanitize_utf8(c.text))) << c.what;
  }
}

TEST(Utf8, TailIsIncompleteOnlyIfMoreBytesCouldCompleteIt) {
  for (const Case& c : cases()) {
    EXPECT_EQ(incomplete_tail(c.text), c.incomplete) << c.what;
  }
}

/// The bit layout of table 3-6, written the other way round.
std::string encode(char32_t c) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | (c >> 6)), byte(0x80 | (c & 0x3F))};
  if (c < 0x10000) return {byte(0xE0 | (c >> 12)), byte(0x80 | ((c >> 6) & 0x3F)), byte(0x80 | (c & 0x3F))};
  return {byte(0xF0 | (c >> 18)), byte(0x80 | ((c >> 12) & 0x3F)), byte(0x80 | ((c >> 6) & 0x3F)),
          byte(0x80 | (c & 0x3F))};
}

TEST(Utf8, EveryScalarValueIsRead) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    const std::string text = encode(c);
    const Utf8Step step = next_utf8(text, 0);
    const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
    ASSERT_EQ(step.well_formed, !is_surrogate) << static_cast<unsigned>(c);
    if (!is_surrogate) {
      ASSERT_EQ(step.character, c);
      ASSERT_EQ(step.bytes, text.size());
    }
  }
}

TEST(Utf8, AnyPrefixOfValidTextIsValidButForItsTail) {
  const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80z";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const std::string_view prefix = std::string_view(text).substr(0, n);
    EXPECT_TRUE(is_valid_utf8(prefix.substr(0, n - incomplete_tail(prefix)))) << n;
  }
}

}  // namespace
}  // namespace speech
