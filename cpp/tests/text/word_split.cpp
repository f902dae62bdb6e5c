// Holds the splitting to GPT-2's pattern; expected words are what Python's `regex` module gives for that pattern.
#include "text/word_split.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace speech {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t n = word_bytes(text, at);
    words.push_back(text.substr(at, n));
    at += n;
  }
  return words;
}

using Words = std::vector<std::string>;

TEST(WordSplit, LettersNumbersAndSignsAreSeparateWordsWithOneSpaceBefore) {
  EXPECT_EQ(split("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(split(" a1,b"), (Words{" a", "1", ",", "b"}));
  EXPECT_EQ(split("3.14 euros!? ok"), (Words{"3", ".", "14", " euros", "!?", " ok"}));
}

TEST(WordSplit, ContractionsAreWordsInLowerCaseOnly) {
  EXPECT_EQ(split("it's we're I'll I've don't he'd I'm"),
            (Words{"it", "'s", " we", "'re", " I", "'ll", " I", "'ve", " don", "'t", " he", "'d", " I", "'m"}));
  EXPECT_EQ(split("IT'S"), (Words{"IT", "'", "S"}));
  EXPECT_EQ(split("'said"), (Words{"'s", "aid"}));
  EXPECT_EQ(split(" 's"), (Words{" '", "s"}));
  EXPECT_EQ(split("!'s"), (Words{"!'", "s"}));
}

TEST(WordSplit, LastOfSeveralSpacesGoesToTheWordBehind) {
  EXPECT_EQ(split("a   b"), (Words{"a", "  ", " b"}));
  EXPECT_EQ(split("a\n\nb"), (Words{"a", "\n", "\n", "b"}));
  EXPECT_EQ(split("a\tb"), (Words{"a", "\t", "b"}));
  EXPECT_EQ(split("a  "), (Words{"a", "  "}));
  EXPECT_EQ(split(" "), (Words{" "}));
}

TEST(WordSplit, ClassesAreUnicodes) {
  EXPECT_EQ(split("Привет, мир"), (Words{"Привет", ",", " мир"}));
  EXPECT_EQ(split("日本語。テキスト"), (Words{"日本語", "。", "テキスト"}));
  EXPECT_EQ(split("x\u00B2\u216B\u0663"), (Words{"x", "\u00B2\u216B\u0663"}));  // superscript, Roman and Arabic numbers
  EXPECT_EQ(split("a\u3000b\u00A0\u2003c"), (Words{"a", "\u3000", "b", "\u00A0", "\u2003", "c"}));
  EXPECT_EQ(split("e\u0301"), (Words{"e", "\u0301"}));  // a combining mark is no letter
  EXPECT_EQ(split("\u200Ba"), (Words{"\u200B", "a"}));  // zero-width space is no space
}

TEST(WordSplit, IllFormedBytesAreNeitherLettersNorSpaces) {
  EXPECT_EQ(split("a\xFF\x80 b"), (Words{"a", "\xFF\x80", " b"}));
  EXPECT_EQ(split(" \xC3"), (Words{" \xC3"}));
}

}  // namespace
}  // namespace speech
