// Holds ids and names of tokens to the published vocabularies, and encoding to a plain byte-pair merge over made-up
// words.
#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/synthetic_model.h"
#include "text/word_split.h"

namespace speech {
namespace {

using testing::synthetic_words;
using testing::SyntheticNumbers;

struct Layout {
  int n_vocab;
  int n_languages;
  bool multilingual;
  Token eot, sot, first_language, translate, transcribe, solm, prev, nosp, not_, beg;
};

/// As in openai/whisper's tokenizers.
const Layout kLayouts[] = {
    {51864, 99, false, 50256, 50257, 50258, 50357, 50358, 50359, 50360, 50361, 50362, 50363},
    {51865, 99, true, 50257, 50258, 50259, 50358, 50359, 50360, 50361, 50362, 50363, 50364},
    {51866, 100, true, 50257, 50258, 50259, 50359, 50360, 50361, 50362, 50363, 50364, 50365},
};

TEST(Vocabulary, SpecialTokensHaveThePublishedIds) {
  for (const Layout& layout : kLayouts) {
    const auto vocabulary = Vocabulary::build(synthetic_words(layout.n_vocab, 1), layout.n_vocab);
    ASSERT_TRUE(vocabulary) << vocabulary.status().message();
    const SpecialTokens& special = vocabulary->special();
    EXPECT_EQ(vocabulary->size(), layout.n_vocab);
    EXPECT_EQ(vocabulary->is_multilingual(), layout.multilingual);
    EXPECT_EQ(vocabulary->n_languages(), layout.n_languages);
    EXPECT_EQ(special.eot, layout.eot);
    EXPECT_EQ(special.sot, layout.sot);
    EXPECT_EQ(special.first_language, layout.first_language);
    EXPECT_EQ(special.translate, layout.translate);
    EXPECT_EQ(special.transcribe, layout.transcribe);
    EXPECT_EQ(special.solm, layout.solm);
    EXPECT_EQ(special.prev, layout.prev);
    EXPECT_EQ(special.nosp, layout.nosp);
    EXPECT_EQ(special.not_, layout.not_);
    EXPECT_EQ(special.beg, layout.beg);
    EXPECT_EQ(special.beg + kTimestampTokens, layout.n_vocab);
  }
}

TEST(Vocabulary, SpecialTokensThatTheFileLacksAreNamed) {
  const auto vocabulary = Vocabulary::build(synthetic_words(51866, 1), 51866);
  ASSERT_TRUE(vocabulary);
  const std::map<Token, std::string> names = {
      {50257, "[_EOT_]"},       {50258, "[_SOT_]"},        {50259, "[_LANG_en]"}, {50358, "[_LANG_yue]"},
      {50359, "[_TRANSLATE_]"}, {50360, "[_TRANSCRIBE_]"}, {50361, "[_SOLM_]"},   {50362, "[_PREV_]"},
      {50363, "[_NOSP_]"},      {50364, "[_NOT_]"},        {50365, "[_BEG_]"},    {50366, "[_TT_1]"},
      {51865, "[_TT_1500]"},
  };
  for (const auto& [token, name] : names) {
    EXPECT_EQ(vocabulary->bytes(token), name) << token;
    EXPECT_EQ(vocabulary->bytes(token).data()[name.size()], '\0');
  }
  EXPECT_EQ(vocabulary->bytes(-1), "");
  EXPECT_EQ(vocabulary->bytes(51866), "");
}

TEST(Vocabulary, SpecialTokensThatTheFileNamesKeepTheirNames) {
  std::vector<std::string> words = synthetic_words(51864, 1);
  words.emplace_back("<|endoftext|>");
  const auto vocabulary = Vocabulary::build(words, 51864);
  ASSERT_TRUE(vocabulary);
  EXPECT_EQ(vocabulary->bytes(50256), "<|endoftext|>");
  EXPECT_EQ(vocabulary->bytes(50257), "[_SOT_]");
  for (const Token token : vocabulary->encode("<|endoftext|>")) {
    EXPECT_TRUE(vocabulary->is_text(token));
  }
}

TEST(Vocabulary, SizesOfNoWhisperModelAreRefusedByName) {
  const std::vector<std::string> words = synthetic_words(51864, 1);
  for (const int n_vocab : {-1, 0, 256, 50258, 50300, 50363, 51863, 51867, 2147483647}) {
    const auto vocabulary = Vocabulary::build(words, n_vocab);
    ASSERT_FALSE(vocabulary) << n_vocab;
    EXPECT_EQ(vocabulary.status().code(), Code::kBadFormat);
    EXPECT_NE(vocabulary.status().message().find(std::to_string(n_vocab)), std::string::npos)
        << vocabulary.status().message();
    EXPECT_NE(vocabulary.status().message().find("51865"), std::string::npos) << vocabulary.status().message();
  }
}

TEST(Vocabulary, TooFewOrTooManyWordsAreRefused) {
  std::vector<std::string> words = synthetic_words(51865, 1);
  words.pop_back();  // 50256, enough for English-only
  EXPECT_FALSE(Vocabulary::build(words, 51865));
  EXPECT_TRUE(Vocabulary::build(words, 51864));
  words.resize(51865, "x");
  EXPECT_TRUE(Vocabulary::build(words, 51865));
  EXPECT_FALSE(Vocabulary::build(words, 51864));
}

TEST(Vocabulary, MissingSingleByteIsRefusedByName) {
  std::vector<std::string> words = synthetic_words(51864, 1);
  words[0x7F] = "not a byte";
  const auto vocabulary = Vocabulary::build(words, 51864);
  ASSERT_FALSE(vocabulary);
  EXPECT_NE(vocabulary.status().message().find("0x7F"), std::string::npos) << vocabulary.status().message();
}

TEST(Vocabulary, DecodingLeavesOutSpecialTokensAndForeignIds) {
  const auto vocabulary = Vocabulary::build(synthetic_words(51865, 1), 51865);
  ASSERT_TRUE(vocabulary);
  const std::vector<Token> tokens = {50258, 50259, 'H', 'i', 50364, -5, 99999, '!', 50257};
  EXPECT_EQ(vocabulary->decode(tokens), "Hi!");
}

/// 256 bytes, then the merges given, then words that no test text holds.
Vocabulary with_merges(const std::vector<std::string>& merges) {
  std::vector<std::string> words;
  for (int byte = 0; byte < 256; ++byte) {
    words.emplace_back(1, static_cast<char>(byte));
  }
  words.insert(words.end(), merges.begin(), merges.end());
  while (words.size() < 50256) {
    words.push_back(std::string("\x01") + std::to_string(words.size()));
  }
  return Vocabulary::build(std::move(words), 51864).value();
}

TEST(BytePair, LowestRankMergesFirstWhateverIsLonger) {
  // ids:                              256   257   258    259
  const Vocabulary v = with_merges({"bc", "ab", "abc", "cd"});
  // a b c d -> bc has the lowest rank -> a bc d -> abc = a + bc -> abc d; greedy longest match would agree, rank order
  // of "cd" would not.
  EXPECT_EQ(v.encode("abcd"), (std::vector<Token>{258, 'd'}));
  // b c d: bc first, and "bcd" is no word.
  EXPECT_EQ(v.encode("bcd"), (std::vector<Token>{256, 'd'}));
  // The longest match from the left would be ab, c, d -> ab cd.
  EXPECT_EQ(v.encode("xabd"), (std::vector<Token>{'x', 257, 'd'}));
}

TEST(BytePair, LongestMatchIsNotTaken) {
  // ids:                              256    257    258
  const Vocabulary v = with_merges({"de", "abcd", "ab"});
  // Merges: de (256), ab (258); c stays. abcd cannot be reached, though it is the longest word at the start.
  EXPECT_EQ(v.encode("abcde"), (std::vector<Token>{258, 'c', 256}));
}

TEST(BytePair, WholeWordIsTakenEvenIfMergesDoNotReachIt) {
  const Vocabulary v = with_merges({"de", "abcd", "ab"});
  EXPECT_EQ(v.encode("abcd"), (std::vector<Token>{257}));
}

TEST(BytePair, LeftmostOfEqualPairsMergesFirst) {
  const Vocabulary v = with_merges({"aa"});
  EXPECT_EQ(v.encode("aaaaa"), (std::vector<Token>{256, 256, 'a'}));
}

TEST(BytePair, MergesStayInsideWords) {
  // "a b" splits into "a", " b"; "1a" into "1", "a".
  const Vocabulary v = with_merges({"a b", "a ", "1a", " b"});
  EXPECT_EQ(v.encode("a b"), (std::vector<Token>{'a', 259}));
  EXPECT_EQ(v.encode("1a"), (std::vector<Token>{'1', 'a'}));
}

TEST(BytePair, LowestIdOfEqualWordsIsGiven) {
  const Vocabulary v = with_merges({"ab", "ab"});
  EXPECT_EQ(v.encode("ab"), (std::vector<Token>{256}));
}

/// Byte-pair encoding as the paper states it: look for the best pair, merge it, begin again.
std::vector<Token> plain_byte_pairs(const std::map<std::string, Token>& ranks, const std::string& word) {
  if (const auto whole = ranks.find(word); whole != ranks.end()) {
    return {whole->second};
  }
  std::vector<std::string> pieces;
  for (const char c : word) {
    pieces.emplace_back(1, c);
  }
  while (true) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
      const auto rank = ranks.find(pieces[i] + pieces[i + 1]);
      if (rank != ranks.end() && (!best || rank->second < ranks.at(pieces[*best] + pieces[*best + 1]))) {
        best = i;
      }
    }
    if (!best) {
      break;
    }
    pieces[*best] += pieces[*best + 1];
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
  std::vector<Token> tokens;
  for (const std::string& piece : pieces) {
    tokens.push_back(ranks.at(piece));
  }
  return tokens;
}

class BytePairOverSyntheticWords : public ::testing::Test {
 protected:
  BytePairOverSyntheticWords()
      : words_(synthetic_words(51864, 7)), vocabulary_(Vocabulary::build(words_, 51864).value()) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      ranks_.emplace(words_[i], static_cast<Token>(i));
    }
  }

  std::vector<std::string> words_;
  Vocabulary vocabulary_;
  std::map<std::string, Token> ranks_;
};

TEST_F(BytePairOverSyntheticWords, EncodingEqualsThePlainMerge) {
  SyntheticNumbers numbers(11);
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    const std::size_t length = 1 + numbers.below(60);
    // Few letters make many competing pairs; one text in four has any bytes at all.
    for (std::size_t i = 0; i < length; ++i) {
      text += round % 4 == 0 ? static_cast<char>(numbers.below(256)) : " abcdefgst"[numbers.below(10)];
    }
    std::vector<Token> expected;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = word_bytes(text, at);
      const std::vector<Token> word = plain_byte_pairs(ranks_, text.substr(at, n));
      expected.insert(expected.end(), word.begin(), word.end());
      at += n;
    }
    ASSERT_EQ(vocabulary_.encode(text), expected) << ::testing::PrintToString(text);
  }
}

TEST_F(BytePairOverSyntheticWords, DecodingGivesTheTextBack) {
  SyntheticNumbers numbers(12);
  for (int round = 0; round < 1000; ++round) {
    std::string text(numbers.below(200), '\0');
    for (char& c : text) {
      c = static_cast<char>(numbers.below(256));
    }
    ASSERT_EQ(vocabulary_.decode(vocabulary_.encode(text)), text);
  }
}

TEST_F(BytePairOverSyntheticWords, WordsOfMebibytesAreEncoded) {
  // A quadratic merge would take hours here; a recursive one, the stack.
  std::string text(kMaxWordBytes + 17, 'a');
  SyntheticNumbers numbers(13);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    text[i] = static_cast<char>('a' + numbers.below(26));
  }
  EXPECT_EQ(vocabulary_.decode(vocabulary_.encode(text)), text);
}

TEST_F(BytePairOverSyntheticWords, CopiesShareTheirWords) {
  const Vocabulary copy = vocabulary_;
  EXPECT_EQ(copy.bytes(300).data(), vocabulary_.bytes(300).data());
  EXPECT_EQ(copy.encode("and so my fellow"), vocabulary_.encode("and so my fellow"));
}

TEST(Vocabulary, EmptyTextHasNoTokens) {
  const Vocabulary v = with_merges({});
  EXPECT_TRUE(v.encode("").empty());
  EXPECT_TRUE(v.decode({}).empty());
}

}  // namespace
}  // namespace speech
