// Words of a segment with their times, written on whisper.h alone: groups tokens, joins punctuation. Source:
// openai/whisper timing.py and tokenizer.py (split_to_word_tokens, merge_punctuations); here a word ends at a space
// only, so that "well-known" and "1,000" are one each.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guard.h"
#include "base/report.h"
#include "base/status.h"
#include "text/utf8.h"
#include "whisper_ext.h"

namespace {

using speech::Code;
using speech::Status;

struct Token {
  std::string bytes;
  whisper_token_data data{};
  bool is_text = false;
};

struct Word {
  std::string text;
  std::vector<std::size_t> tokens;  // indexes in the segment
};

}  // namespace

struct whisper_ext_words {
  std::vector<std::string> texts;
  std::vector<whisper_ext_word> words;
};

namespace {

// The last transcription of a state, or of a context's own.
class Results {
 public:
  Results(whisper_context* ctx, whisper_state* state) : ctx_(ctx), state_(state) {}

  int n_segments() const {
    return state_ != nullptr ? whisper_full_n_segments_from_state(state_) : whisper_full_n_segments(ctx_);
  }
  std::string text(int segment) const {
    const char* text = state_ != nullptr ? whisper_full_get_segment_text_from_state(state_, segment)
                                         : whisper_full_get_segment_text(ctx_, segment);
    return text != nullptr ? text : "";
  }
  std::int64_t start(int segment) const {
    return state_ != nullptr ? whisper_full_get_segment_t0_from_state(state_, segment)
                             : whisper_full_get_segment_t0(ctx_, segment);
  }
  std::int64_t end(int segment) const {
    return state_ != nullptr ? whisper_full_get_segment_t1_from_state(state_, segment)
                             : whisper_full_get_segment_t1(ctx_, segment);
  }
  std::string_view language() const {
    const char* code =
        whisper_lang_str(state_ != nullptr ? whisper_full_lang_id_from_state(state_) : whisper_full_lang_id(ctx_));
    return code != nullptr ? code : "";
  }
  std::vector<Token> tokens(int segment) const {
    const int n =
        state_ != nullptr ? whisper_full_n_tokens_from_state(state_, segment) : whisper_full_n_tokens(ctx_, segment);
    const whisper_token end_of_text = whisper_token_eot(ctx_);
    std::vector<Token> tokens;
    for (int i = 0; i < n; ++i) {
      Token token;
      token.data = state_ != nullptr ? whisper_full_get_token_data_from_state(state_, segment, i)
                                     : whisper_full_get_token_data(ctx_, segment, i);
      const char* bytes = whisper_token_to_str(ctx_, token.data.id);
      token.bytes = bytes != nullptr ? bytes : "";
      token.is_text = token.data.id < end_of_text;
      tokens.push_back(std::move(token));
    }
    return tokens;
  }

 private:
  whisper_context* ctx_;
  whisper_state* state_;
};

// ---- from tokens to words ----

// Cuts the tokens that make the segment's text into the smallest runs of whole characters. Empty if their text is not
// the segment's: then it holds something else, and cannot be cut by them.
std::vector<Word> characters_of(const std::vector<Token>& tokens, std::string_view text, bool with_special) {
  std::string bytes;
  std::vector<std::pair<std::size_t, std::size_t>> begins;  // offset, token
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is_text || with_special) {
      begins.emplace_back(bytes.size(), i);
      bytes += tokens[i].bytes;
    }
  }
  if (speech::sanitize_utf8(bytes) != text) {
    return {};
  }
  const std::vector<bool> cuts = speech::utf8_cuts(bytes);
  std::vector<Word> runs;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const auto [begin, token] = begins[i];
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1].first : bytes.size();
    if (runs.empty() || cuts[begin]) {
      runs.emplace_back();
    }
    runs.back().text += bytes.substr(begin, end - begin);
    runs.back().tokens.push_back(token);
  }
  for (Word& run : runs) {
    run.text = speech::sanitize_utf8(run.text);
  }
  return runs;
}

// A letter or digit of a script that is written with spaces.
bool is_spaced_letter(char32_t c) {
  return (c >= U'0' && c <= U'9') || (c >= U'A' && c <= U'Z') || (c >= U'a' && c <= U'z') ||
         (c >= U'\u00C0' && c <= U'\u024F');
}

std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> all;
  for (std::size_t at = 0; at < text.size();) {
    const speech::Utf8Step step = speech::next_utf8(text, at);
    all.push_back(step.character);
    at += step.bytes;
  }
  return all;
}

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool consists_of(std::string_view text, std::u32string_view set) {
  const std::vector<char32_t> all = characters(without_spaces(text));
  return !all.empty() && std::ranges::all_of(all, [set](char32_t c) { return set.find(c) != set.npos; });
}

bool is_written_without_spaces(std::string_view language) {
  constexpr std::string_view kLanguages[] = {"zh", "ja", "th", "lo", "my", "yue"};
  return std::ranges::find(kLanguages, language) != std::end(kLanguages);
}

// Where there are no spaces a word is the smallest run of whole characters, but a run of Latin letters or digits is one
// word all the same.
bool begins_word(const Word& before, const Word& run, bool spaces) {
  if (run.text.empty()) {
    return false;
  }
  if (spaces) {
    return run.text.front() == ' ';
  }
  const std::vector<char32_t> last = characters(before.text);
  return last.empty() || !is_spaced_letter(last.back()) || !is_spaced_letter(characters(run.text).front());
}

void append(Word& word, const Word& next) {
  word.text += next.text;
  word.tokens.insert(word.tokens.end(), next.tokens.begin(), next.tokens.end());
}

constexpr std::u32string_view kOpening = U"\"'“‘«¿¡([{-（［｛「『【《〈";
constexpr std::u32string_view kAlwaysOpening = U"“‘«¿¡([{（［｛「『【《〈";  // also where no space stands before it
constexpr std::u32string_view kClosing = U"\"'.。,，!！?？:：;；…”’»)]}）］｝」』】》〉、-";

// Opening marks and spaces that stand alone join the word after them, closing marks the word before.
std::vector<Word> join_punctuation(const std::vector<Word>& words) {
  std::vector<Word> opened;
  Word pending;  // opening marks that wait for their word
  for (const Word& word : words) {
    const bool opens = without_spaces(word.text).empty() || consists_of(word.text, kAlwaysOpening) ||
                       (word.text.starts_with(' ') && consists_of(word.text, kOpening));
    append(pending, word);
    if (!opens) {
      opened.push_back(std::exchange(pending, {}));
    }
  }
  if (!pending.tokens.empty()) {  // nothing follows: spaces belong to the word before
    if (without_spaces(pending.text).empty() && !opened.empty()) {
      append(opened.back(), pending);
    } else {
      opened.push_back(std::move(pending));
    }
  }
  std::vector<Word> joined;
  for (const Word& word : opened) {
    const bool closes = !joined.empty() && !word.text.starts_with(' ') && consists_of(word.text, kClosing) &&
                        !joined.back().text.ends_with(' ');
    if (closes) {
      append(joined.back(), word);
    } else {
      joined.push_back(word);
    }
  }
  return joined;
}

std::vector<Word> words_of(const std::vector<Token>& tokens, const std::string& text, std::string_view language) {
  std::vector<Word> runs = characters_of(tokens, text, false);
  if (runs.empty()) {
    runs = characters_of(tokens, text, true);  // special tokens were asked for
  }
  if (runs.empty()) {
    Word whole = {text, {}};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      whole.tokens.push_back(i);
    }
    return whole.tokens.empty() ? std::vector<Word>() : std::vector<Word>{std::move(whole)};
  }
  const bool spaces = !is_written_without_spaces(language);
  std::vector<Word> words;
  for (const Word& run : runs) {
    const bool is_special = !tokens[run.tokens.front()].is_text;
    const bool after_special = !words.empty() && !tokens[words.back().tokens.front()].is_text;
    if (words.empty() || is_special || after_special || begins_word(words.back(), run, spaces)) {
      words.push_back(run);
    } else {
      append(words.back(), run);
    }
  }
  return join_punctuation(words);
}

// ---- times ----

struct Span {
  std::int64_t start = -1;
  std::int64_t end = -1;
};

bool is_aligned(const std::vector<Token>& tokens) {
  return std::ranges::all_of(tokens, [](const Token& token) { return !token.is_text || token.data.t_dtw >= 0; });
}

// By alignment a token ends when it has been spoken, and begins where the one before it ends; the first of a segment
// where the text before ends, but not before its segment.
std::vector<Span> aligned_spans(const Results& results, int segment, const std::vector<Token>& tokens) {
  std::int64_t latest = results.start(segment);
  if (segment > 0) {
    for (const Token& token : results.tokens(segment - 1)) {
      latest = token.is_text ? std::max(latest, token.data.t_dtw) : latest;
    }
  }
  std::vector<Span> spans;
  for (const Token& token : tokens) {
    const std::int64_t end = token.is_text ? std::max(latest, token.data.t_dtw) : latest;
    spans.push_back({latest, end});
    latest = end;
  }
  return spans;
}

std::vector<Span> spans_of(const Results& results, int segment, const std::vector<Token>& tokens) {
  if (is_aligned(tokens)) {
    return aligned_spans(results, segment, tokens);
  }
  std::vector<Span> spans;
  spans.reserve(tokens.size());
  for (const Token& token : tokens) {
    spans.push_back({token.data.t0, std::max(token.data.t0, token.data.t1)});
  }
  return spans;
}

// From the first token to the last one that is more than marks: these take the pauses beside a word. Source.
Span span_of(const Word& word, const std::vector<Token>& tokens, const std::vector<Span>& spans) {
  const auto is_spoken = [&](std::size_t i) {
    const std::string text = speech::sanitize_utf8(tokens[i].bytes);
    return !without_spaces(text).empty() && !consists_of(text, kOpening) && !consists_of(text, kClosing);
  };
  const auto first = std::ranges::find_if(word.tokens, is_spoken);
  if (first == word.tokens.end()) {
    return {spans[word.tokens.front()].start, spans[word.tokens.back()].end};
  }
  const auto last = std::find_if(word.tokens.rbegin(), word.tokens.rend(), is_spoken);
  return {spans[*first].start, spans[*last].end};
}

float mean_probability(const std::vector<Token>& tokens, const Word& word) {
  double sum = 0;
  for (const std::size_t i : word.tokens) {
    sum += static_cast<double>(tokens[i].data.p);
  }
  return static_cast<float>(sum / static_cast<double>(word.tokens.size()));
}

whisper_ext_words* make_words(const Results& results, int segment) {
  const std::vector<Token> tokens = results.tokens(segment);
  const std::vector<Span> spans = spans_of(results, segment, tokens);
  std::vector<Word> words = words_of(tokens, results.text(segment), results.language());
  auto made = std::make_unique<whisper_ext_words>();
  for (Word& word : words) {
    const auto first = static_cast<int>(word.tokens.front());
    const auto last = static_cast<int>(word.tokens.back());
    const Span span = span_of(word, tokens, spans);
    made->words.push_back({nullptr, span.start, span.end, mean_probability(tokens, word), first, last - first + 1});
    made->texts.push_back(std::move(word.text));
  }
  for (std::size_t i = 0; i < made->words.size(); ++i) {
    made->words[i].text = made->texts[i].c_str();  // only now: texts no longer move
  }
  return made.release();
}

constexpr const char* kWordsOfSegment = "whisper_ext_words_of_segment";

}  // namespace

whisper_ext_words* whisper_ext_words_of_segment(whisper_context* ctx, whisper_state* state, int i_segment) {
  const auto body = [&]() -> whisper_ext_words* {
    if (ctx == nullptr) {
      speech::report_error(kWordsOfSegment, Status(Code::kInvalidArgument, "ctx is null"));
      return nullptr;
    }
    const Results results(ctx, state);
    const int n_segments = results.n_segments();
    if (i_segment < 0 || i_segment >= n_segments) {
      speech::report_error(kWordsOfSegment,
                           Status(Code::kInvalidArgument, "i_segment is " + std::to_string(i_segment) +
                                                              ", but the last transcription has " +
                                                              std::to_string(n_segments) + " segments"));
      return nullptr;
    }
    return make_words(results, i_segment);
  };
  const auto report = [](const speech::Status& status) { speech::report_error(kWordsOfSegment, status); };
  return speech::guarded<whisper_ext_words*>(nullptr, body, report);
}

int whisper_ext_words_n(const whisper_ext_words* words) {
  return words != nullptr ? static_cast<int>(words->words.size()) : 0;
}

whisper_ext_word whisper_ext_words_get(const whisper_ext_words* words, int i) {
  return i >= 0 && i < whisper_ext_words_n(words) ? words->words[static_cast<std::size_t>(i)] : whisper_ext_word{};
}

void whisper_ext_words_free(whisper_ext_words* words) { delete words; }
