// Wrapping: code points, whole characters, words, joined text, times.
#include "decode/wrap.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "decode/made_up.h"
#include "decode/random.h"
#include "text/utf8.h"

namespace speech::testing {
namespace {

/// A segment of these tokens, ten frames each.
Segment segment_of(const std::vector<Token>& ids, const WrapOptions& options = {}) {
  Segment segment;
  segment.start = 1000;
  std::string bytes;
  for (const Token id : ids) {
    TokenData data = token(id);
    data.t0 = 1000 + 10 * static_cast<int>(segment.tokens.size());
    data.t1 = data.t0 + 10;
    segment.tokens.push_back(data);
    if (options.keep_special || english().is_text(id)) {
      bytes += english().bytes(id);
    }
  }
  segment.end = 1000 + 10 * static_cast<int>(ids.size());
  segment.text = sanitize_utf8(bytes);
  segment.no_speech_probability = 0.25F;
  segment.speaker_turn_next = true;
  return segment;
}

/// One token for each byte.
std::vector<Token> bytes_of(const std::string& text) {
  std::vector<Token> ids;
  for (const char byte : text) {
    ids.push_back(static_cast<unsigned char>(byte));
  }
  return ids;
}

std::vector<std::string> texts(const std::vector<Segment>& pieces) {
  std::vector<std::string> all;
  for (const Segment& piece : pieces) {
    all.push_back(piece.text);
  }
  return all;
}

std::vector<std::string> wrapped(const std::string& text, const WrapOptions& options) {
  return texts(wrap_segment(segment_of(bytes_of(text), options), english(), options));
}

using Texts = std::vector<std::string>;

TEST(Wrap, PiecesHaveAtMostTheLength) {
  EXPECT_EQ(wrapped("abcdefgh", {.max_characters = 3}), (Texts{"abc", "def", "gh"}));
  EXPECT_EQ(wrapped("abcdef", {.max_characters = 3}), (Texts{"abc", "def"}));
  EXPECT_EQ(wrapped("abc", {.max_characters = 1}), (Texts{"a", "b", "c"}));
  EXPECT_EQ(wrapped("abc", {.max_characters = 99}), (Texts{"abc"}));
}

TEST(Wrap, NoLengthLeavesItWhole) { EXPECT_EQ(wrapped("abcdefgh", {}), (Texts{"abcdefgh"})); }

TEST(Wrap, UserReport30LengthIsInCodePointsAndCharactersStayWhole) {
  EXPECT_EQ(wrapped("中文，好", {.max_characters = 2}), (Texts{"中文", "，好"}));  // three tokens each
  EXPECT_EQ(wrapped("a😀b", {.max_characters = 1}), (Texts{"a", "😀", "b"}));
  EXPECT_EQ(wrapped("é中😀", {.max_characters = 3}), (Texts{"é中😀"}));
}

TEST(Wrap, OnlyBeforeWordsIfAskedFor) {
  EXPECT_EQ(wrapped(" one two three", {.max_characters = 8, .split_on_word = true}), (Texts{" one two", " three"}));
  EXPECT_EQ(wrapped(" one two three", {.max_characters = 7, .split_on_word = true}), (Texts{" one", " two", " three"}));
  EXPECT_EQ(wrapped(" one incredible two", {.max_characters = 5, .split_on_word = true}),
            (Texts{" one", " incredible", " two"}));
}

TEST(Wrap, ATokenThatIsTooLongStaysWhole) {
  const Token pair = english().encode("ab").front();
  ASSERT_EQ(english().bytes(pair), "ab");
  const auto pieces = wrap_segment(segment_of({'x', pair, 'y'}), english(), {.max_characters = 1});
  EXPECT_EQ(texts(pieces), (Texts{"x", "ab", "y"}));
}

TEST(Wrap, PiecesMeetWhereTheNextOneBegins) {
  const auto pieces = wrap_segment(segment_of(bytes_of("abcd")), english(), {.max_characters = 2});
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].start, 1000);
  EXPECT_EQ(pieces[0].end, 1020);
  EXPECT_EQ(pieces[1].start, 1020);
  EXPECT_EQ(pieces[1].end, 1040);
  EXPECT_EQ(pieces[1].tokens.front().t0, 1020);
}

TEST(Wrap, TheTurnStaysAtTheEndAndTheRestIsCarried) {
  const auto pieces = wrap_segment(segment_of(bytes_of("abcd")), english(), {.max_characters = 2});
  EXPECT_FALSE(pieces[0].speaker_turn_next);
  EXPECT_TRUE(pieces[1].speaker_turn_next);
  EXPECT_EQ(pieces[0].no_speech_probability, 0.25F);
}

TEST(Wrap, MarksStayWithTheTextBesideThem) {
  const Token open = timestamp(0);
  const Token close = timestamp(2);
  const auto pieces = wrap_segment(segment_of({open, 'a', 'b', 'c', close}), english(), {.max_characters = 1});
  ASSERT_EQ(texts(pieces), (Texts{"a", "b", "c"}));
  EXPECT_EQ(pieces[0].tokens.size(), 2U);
  EXPECT_EQ(pieces[2].tokens.size(), 2U);
  EXPECT_EQ(pieces[2].tokens.back().id, close);
}

TEST(Wrap, TogetherThePiecesAreTheSegment) {
  Random random(3);
  const auto below = [&random](std::size_t n) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
  };
  const std::vector<std::string> parts = {"a",        " ",    " b",   "é",  "中",       "😀",
                                          "\xE4\xB8", "\xAD", "\xFF", "，", "\xF0\x9F", "ab"};
  for (int round = 0; round < 3000; ++round) {
    std::vector<Token> ids;
    for (std::size_t i = below(10); i > 0; --i) {
      const std::string& part = parts[below(parts.size())];
      if (below(8) == 0) {
        ids.push_back(timestamp(1));
      } else if (below(2) == 0) {
        const std::vector<Token> encoded = english().encode(part);
        ids.insert(ids.end(), encoded.begin(), encoded.end());
      } else {
        const std::vector<Token> encoded = bytes_of(part);
        ids.insert(ids.end(), encoded.begin(), encoded.end());
      }
    }
    const WrapOptions options = {.max_characters = 1 + static_cast<int>(below(5)),
                                 .split_on_word = below(2) == 0,
                                 .keep_special = below(2) == 0};
    const Segment whole = segment_of(ids, options);
    std::string text;
    std::vector<Token> tokens;
    int latest = whole.start;
    for (const Segment& piece : wrap_segment(whole, english(), options)) {
      EXPECT_TRUE(is_valid_utf8(piece.text));
      EXPECT_EQ(piece.start, latest);
      EXPECT_LE(piece.start, piece.end);
      latest = piece.end;
      text += piece.text;
      for (const TokenData& data : piece.tokens) {
        tokens.push_back(data.id);
      }
    }
    ASSERT_EQ(text, whole.text) << "round " << round;
    ASSERT_EQ(tokens, ids) << "round " << round;
    ASSERT_EQ(latest, whole.end) << "round " << round;
  }
}

}  // namespace
}  // namespace speech::testing
