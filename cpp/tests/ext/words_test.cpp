// Words of segments: grouping, punctuation, languages without spaces, times, and text that stays whole. The results are
// put into the state by hand; no model decides them.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "capi/handles.h"
#include "capi/loaded.h"
#include "decode/random.h"
#include "decode/segments.h"
#include "text/languages.h"
#include "text/utf8.h"
#include "whisper_ext.h"

namespace speech::testing {
namespace {

struct FreeWords {
  void operator()(whisper_ext_words* words) const { whisper_ext_words_free(words); }
};
using WordsPointer = std::unique_ptr<whisper_ext_words, FreeWords>;

/// A context whose last transcription is what the test says.
class Words : public ::testing::Test {
 protected:
  static whisper_context* context() {
    static const ContextPointer loaded = load({.n_vocab = 51865});
    return loaded.get();
  }
  static State& state() { return *context()->state->state; }
  static const Vocabulary& vocabulary() { return context()->model->vocabulary(); }

  void SetUp() override {
    whisper_ext_clear_error();
    state().segments.clear();
    speak("en");
  }

  static void speak(const char* language) { state().language = *language_id(language); }

  /// Adds a segment: each part's bytes become tokens, which take 10 frames for each part, from `start` on.
  static Segment& add(const std::vector<std::string>& parts, int start = 0) {
    Segment segment;
    segment.start = start;
    std::string bytes;
    int t0 = start;
    for (const std::string& part : parts) {
      const std::vector<Token> ids = vocabulary().encode(part);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        TokenData token;
        token.id = ids[i];
        token.probability = 0.5F;
        token.t0 = i == 0 ? t0 : t0 + 10;
        token.t1 = t0 + 10;
        segment.tokens.push_back(token);
      }
      bytes += part;
      t0 += 10;
    }
    segment.end = t0;
    segment.text = sanitize_utf8(bytes);
    state().segments.push_back(segment);
    return state().segments.back();
  }

  static WordsPointer words_of(int i_segment = 0) {
    WordsPointer words(whisper_ext_words_of_segment(context(), nullptr, i_segment));
    EXPECT_NE(words, nullptr) << whisper_ext_last_error();
    return words;
  }

  static std::vector<std::string> texts(int i_segment = 0) {
    const WordsPointer words = words_of(i_segment);
    std::vector<std::string> all;
    for (int i = 0; i < whisper_ext_words_n(words.get()); ++i) {
      all.emplace_back(whisper_ext_words_get(words.get(), i).text);
    }
    return all;
  }

  static std::vector<std::string> times(int i_segment = 0) {
    const WordsPointer words = words_of(i_segment);
    std::vector<std::string> all;
    for (int i = 0; i < whisper_ext_words_n(words.get()); ++i) {
      const whisper_ext_word word = whisper_ext_words_get(words.get(), i);
      all.push_back(std::string(word.text) + " " + std::to_string(word.t0) + "-" + std::to_string(word.t1));
    }
    return all;
  }
};

using Texts = std::vector<std::string>;

TEST_F(Words, BeginAtSpaces) {
  add({" And", " so", " my", " fell", "ow"});
  EXPECT_EQ(texts(), (Texts{" And", " so", " my", " fellow"}));
}

TEST_F(Words, KeepTheirPunctuation) {
  add({" Hello", ",", " world", ".", " It", "'s", " well", "-", "known", ":", " 1", ",", "000", "!", "?"});
  EXPECT_EQ(texts(), (Texts{" Hello,", " world.", " It's", " well-known:", " 1,000!?"}));
}

TEST_F(Words, OpeningMarksJoinTheWordAfterThem) {
  add({" He", " said", " \"", "go", "\"", " (", "now", ")", " -", " five"});
  EXPECT_EQ(texts(), (Texts{" He", " said", " \"go\"", " (now)", " - five"}));
}

TEST_F(Words, OfLanguagesWithoutSpacesAreCharactersWithTheirMarks) {
  for (const char* language : {"zh", "ja", "yue"}) {
    state().segments.clear();
    speak(language);
    add({"中文", "，", "「", "好", "」", "。"});
    EXPECT_EQ(texts(), (Texts{"中", "文，", "「好」。"})) << language;  // each character is three tokens here
  }
  state().segments.clear();
  speak("th");
  add({"ไทย"});
  EXPECT_EQ(texts(), (Texts{"ไ", "ท", "ย"}));
}

TEST_F(Words, OfLatinLettersStayWholeWhereThereAreNoSpaces) {
  speak("ja");
  add({"私", "の", "i", "Phone", "15", "は"});
  EXPECT_EQ(texts(), (Texts{"私", "の", "iPhone15", "は"}));
}

TEST_F(Words, AreWholeCharactersHoweverTokensCutThem) {
  add({" caf\xC3", "\xA9", " \xF0\x9F", "\x98\x80", "!"});
  EXPECT_EQ(texts(), (Texts{" café", " 😀!"}));
}

TEST_F(Words, PointAtTheirTokens) {
  Segment& segment = add({" a", " b", "."});
  TokenData mark;
  mark.id = vocabulary().special().beg;
  segment.tokens.insert(segment.tokens.begin(), mark);
  mark.id += 50;
  segment.tokens.push_back(mark);
  segment.tokens[2].probability = 0.25F;
  const WordsPointer words = words_of();
  ASSERT_EQ(whisper_ext_words_n(words.get()), 2);
  const whisper_ext_word first = whisper_ext_words_get(words.get(), 0);
  EXPECT_EQ(first.i_token, 1);
  EXPECT_EQ(first.n_tokens, 1);
  EXPECT_FLOAT_EQ(first.p, 0.5F);
  const whisper_ext_word second = whisper_ext_words_get(words.get(), 1);
  EXPECT_EQ(second.i_token, 2);
  EXPECT_EQ(second.n_tokens, 2);
  EXPECT_FLOAT_EQ(second.p, 0.375F);
}

TEST_F(Words, HaveTheTimesOfTheirTokensButNotOfTheirMarks) {
  add({" one", ",", " two", "."}, 100);
  EXPECT_EQ(times(), (Texts{" one, 100-110", " two. 120-130"}));
}

TEST_F(Words, HaveNoTimesIfTokensHaveNone) {
  for (TokenData& token : add({" a", " b"}).tokens) {
    token.t0 = token.t1 = -1;
  }
  EXPECT_EQ(times(), (Texts{" a -1--1", " b -1--1"}));
}

TEST_F(Words, AreAlignedFromTheEndOfTheTokenBeforeToTheirOwn) {
  Segment& first = add({" a", ",", " b"}, 100);
  const int ends[] = {130, 180, 210};
  for (std::size_t i = 0; i < 3; ++i) {
    first.tokens[i].t_dtw = ends[i];
  }
  Segment& second = add({" c"}, 200);
  second.tokens[0].t_dtw = 240;
  EXPECT_EQ(times(0), (Texts{" a, 100-130", " b 180-210"}));
  EXPECT_EQ(times(1), (Texts{" c 210-240"}));
}

TEST_F(Words, KeepSpecialTokensThatAreText) {
  Segment& segment = add({" a"});
  TokenData mark;
  mark.id = vocabulary().special().beg;
  segment.tokens.insert(segment.tokens.begin(), mark);
  segment.text = std::string(vocabulary().bytes(mark.id)) + " a";
  EXPECT_EQ(texts(), (Texts{"[_BEG_]", " a"}));
}

TEST_F(Words, AreTheSegmentItselfIfItsTokensAreNotItsText) {
  add({" a", " b"}).text = " something else";
  EXPECT_EQ(texts(), (Texts{" something else"}));
}

TEST_F(Words, TogetherAreTheText) {
  Random random(9);
  const auto below = [&random](std::size_t n) {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(n));
  };
  const std::vector<std::string> parts = {"a",  " ",   " b", "é", "中", "😀", "\xE4\xB8", "\xAD", "\xFF", "，",
                                          "\"", " \"", ".",  "(", " -", "  ", "「",       "12",   "ไท"};
  for (int round = 0; round < 2000; ++round) {
    state().segments.clear();
    speak(round % 2 == 0 ? "en" : "ja");
    std::vector<std::string> chosen;
    for (std::size_t i = 1 + below(9); i > 0; --i) {
      chosen.push_back(parts[below(parts.size())]);
    }
    const Segment& segment = add(chosen);
    const WordsPointer words = words_of();
    std::string text;
    int next_token = 0;
    for (int i = 0; i < whisper_ext_words_n(words.get()); ++i) {
      const whisper_ext_word word = whisper_ext_words_get(words.get(), i);
      EXPECT_TRUE(is_valid_utf8(word.text));
      EXPECT_NE(std::string(word.text), "");
      EXPECT_EQ(word.i_token, next_token);
      EXPECT_GE(word.t1, word.t0);
      next_token = word.i_token + word.n_tokens;
      text += word.text;
    }
    ASSERT_EQ(text, segment.text) << "round " << round;
    ASSERT_EQ(next_token, static_cast<int>(segment.tokens.size())) << "round " << round;
  }
}

TEST_F(Words, OfAStateAreThoseOfTheState) {
  add({" own"});
  const StatePointer other(whisper_init_state(context()));
  ASSERT_NE(other, nullptr);
  other->state->segments = state().segments;
  state().segments.clear();
  const WordsPointer words(whisper_ext_words_of_segment(context(), other.get(), 0));
  EXPECT_STREQ(whisper_ext_words_get(words.get(), 0).text, " own");
}

TEST_F(Words, OfNothingAreAnErrorOrNothing) {
  add({" a"});
  for (const int i : {-1, 1, 1000}) {
    EXPECT_EQ(whisper_ext_words_of_segment(context(), nullptr, i), nullptr);
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT);
    EXPECT_NE(std::string(whisper_ext_last_error()).find("i_segment is " + std::to_string(i)), std::string::npos);
  }
  EXPECT_EQ(whisper_ext_words_of_segment(nullptr, nullptr, 0), nullptr);
  EXPECT_EQ(whisper_ext_words_n(nullptr), 0);
  whisper_ext_words_free(nullptr);
  const WordsPointer words = words_of();
  for (const int i : {-1, 1}) {
    const whisper_ext_word word = whisper_ext_words_get(words.get(), i);
    EXPECT_EQ(word.text, nullptr);
    EXPECT_EQ(word.n_tokens, 0);
  }
}

}  // namespace
}  // namespace speech::testing
