// What users of such libraries have reported about options, each at its smallest trigger (docs/user-reports.md).
// Made-up weights.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "capi/loaded.h"

namespace speech::testing {
namespace {

class ReportsOnOptions : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    SyntheticSpec spec;
    spec.n_vocab = 51865;  // multilingual
    context_ = load(spec).release();
  }
  static void TearDownTestSuite() { whisper_free(context_); }

  static int run(const whisper_full_params& params) { return transcribe(context_, params, made_up_audio(8000)); }
  static std::string language_used() { return whisper_lang_str(whisper_full_lang_id(context_)); }

  static void expect_said(const std::vector<std::string>& words) {
    const std::string message = whisper_ext_last_error();
    for (const std::string& word : words) {
      EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
    }
  }

  static whisper_context* context_;
};

whisper_context* ReportsOnOptions::context_ = nullptr;

whisper_full_params beams(int n) {
  whisper_full_params params = short_params();
  params.strategy = WHISPER_SAMPLING_BEAM_SEARCH;
  params.beam_search.beam_size = n;
  return params;
}

TEST_F(ReportsOnOptions, UserReport36ThreadCountsNeverCrash) {
  whisper_full_params params = short_params();
  for (const int n_threads : {0, 1, 600, 10000}) {
    params.n_threads = n_threads;
    EXPECT_EQ(run(params), 0) << n_threads << ": " << whisper_ext_last_error();
  }
  params.n_threads = -1;
  EXPECT_EQ(run(params), -1);
  expect_said({"n_threads", "-1"});
}

TEST_F(ReportsOnOptions, UserReport37LanguagesAreUnderstoodOrRefused) {
  whisper_full_params params = short_params();
  for (const char* german : {"de", "DE", "de-AT", "de_DE", "german", "German"}) {
    params.language = german;
    ASSERT_EQ(run(params), 0) << german << ": " << whisper_ext_last_error();
    EXPECT_EQ(language_used(), "de") << german;
  }
  params.language = "xx";
  EXPECT_EQ(run(params), -3);
  expect_said({"xx"});
  params.language = "auto";
  EXPECT_EQ(run(params), 0) << whisper_ext_last_error();
  EXPECT_GE(whisper_full_lang_id(context_), 0);
}

TEST_F(ReportsOnOptions, UserReport40DetectionChoosesAmongTheCandidates) {
  whisper_full_params params = short_params();
  params.language = "auto";
  const char* candidates[] = {"id", "ms"};
  whisper_ext_options options = whisper_ext_default_options();
  options.language_candidates = candidates;
  options.n_language_candidates = 2;
  const std::vector<float> samples = made_up_audio(8000);
  ASSERT_EQ(whisper_ext_full(context_, nullptr, params, &options, samples.data(), 8000), 0);
  EXPECT_TRUE(language_used() == "id" || language_used() == "ms") << language_used();
  EXPECT_GT(whisper_ext_full_lang_probability(context_), 0.0F);
  EXPECT_LE(whisper_ext_full_lang_probability(context_), 1.0F);
}

TEST_F(ReportsOnOptions, UserReport41MoreThanEightBeamsAreRefusedSayingSo) {
  EXPECT_EQ(run(beams(9)), -4);
  expect_said({"beam_size", "9", "8"});
}

TEST_F(ReportsOnOptions, UserReport41EightBeamsWorkOnLongAudio) {
  // Two windows, so that the second has a prompt as well.
  whisper_full_params params = beams(8);
  params.no_timestamps = true;
  params.no_context = false;
  EXPECT_EQ(transcribe(context_, params, made_up_audio(16000 * 35)), 0) << whisper_ext_last_error();
  EXPECT_GE(whisper_ext_get_stats(context_).n_encode, 2);
}

TEST_F(ReportsOnOptions, UserReport42ZeroAndNegativeDecodersAreRefusedOrTheDefault) {
  EXPECT_LT(run(beams(0)), 0);
  expect_said({"beam_size", "0"});
  whisper_full_params params = beams(-1);
  params.greedy.best_of = -1;
  EXPECT_EQ(run(params), 0) << whisper_ext_last_error();
}

TEST_F(ReportsOnOptions, UserReport45APromptOfSixThousandWordsIsCut) {
  std::string prompt;
  for (int i = 0; i < 6000; ++i) {
    prompt += " word" + std::to_string(i);
  }
  whisper_full_params params = short_params();
  params.initial_prompt = prompt.c_str();
  EXPECT_EQ(run(params), 0) << whisper_ext_last_error();
  const std::vector<whisper_token> tokens(1416, 300);
  params = short_params();
  params.prompt_tokens = tokens.data();
  params.prompt_n_tokens = static_cast<int>(tokens.size());
  EXPECT_EQ(run(params), 0) << whisper_ext_last_error();
}

TEST_F(ReportsOnOptions, UserReport46AnyPromptWorks) {
  whisper_full_params params = short_params();
  for (const char* prompt : {"hello", "", " ", "\xC3\xA4\xE4\xB8\xAD\xF0\x9F\x98\x80"}) {
    params.initial_prompt = prompt;
    EXPECT_EQ(run(params), 0) << prompt << ": " << whisper_ext_last_error();
  }
}

TEST_F(ReportsOnOptions, UserReport52NothingOfACallReachesTheNext) {
  const auto text = [](whisper_context* context) {
    EXPECT_EQ(run(short_params()), 0);
    return result_tokens(context);
  };
  const std::vector<whisper_token> expected = text(context_);
  whisper_full_params params = beams(3);
  params.initial_prompt = "ab cd ef";
  params.carry_initial_prompt = true;
  params.no_context = false;
  params.language = "de";
  params.suppress_regex = ".*a.*";
  params.max_len = 3;
  params.token_timestamps = true;
  params.audio_ctx = 20;
  ASSERT_EQ(run(params), 0) << whisper_ext_last_error();
  EXPECT_EQ(text(context_), expected);
}

TEST_F(ReportsOnOptions, UserReport53AGrammarThatCannotBeParsedIsRefusedWithItsPlace) {
  for (const char* bad : {"", " \n\t ", "root ::= other", "root ::= \"a", "root ::= [a", "root root"}) {
    EXPECT_EQ(whisper_ext_grammar_parse(bad, nullptr), nullptr) << bad;
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT) << bad;
    expect_said({"line", "column"});
  }
}

TEST_F(ReportsOnOptions, UserReport53AFinishedGrammarEndsTheText) {
  whisper_ext_grammar* grammar = whisper_ext_grammar_parse("root ::= \"{\" \"}\"", nullptr);
  ASSERT_NE(grammar, nullptr) << whisper_ext_last_error();
  whisper_full_params params = short_params();
  params.grammar_rules = whisper_ext_grammar_rules(grammar);
  params.n_grammar_rules = whisper_ext_grammar_n_rules(grammar);
  params.i_start_rule = whisper_ext_grammar_start_rule(grammar);
  params.no_timestamps = true;
  EXPECT_EQ(run(params), 0) << whisper_ext_last_error();
  std::string text;
  for (int i = 0; i < whisper_full_n_segments(context_); ++i) {
    text += whisper_full_get_segment_text(context_, i);
  }
  whisper_ext_grammar_free(grammar);
  EXPECT_EQ(text, "{}");
}

TEST_F(ReportsOnOptions, UserReport35TextKeepsTheSpaceThatItsFirstTokenHas) {
  whisper_full_params params = short_params();
  params.no_timestamps = true;
  // " a" is a word of the made-up vocabulary; nothing else is let through, then the end.
  params.logits_filter_callback = [](whisper_context* ctx, whisper_state*, const whisper_token_data*, int n_tokens,
                                     float* logits, void*) {
    whisper_token word = 0;
    whisper_tokenize(ctx, " a", &word, 1);
    for (int i = 0; i < whisper_n_vocab(ctx); ++i) {
      logits[i] = -INFINITY;
    }
    logits[n_tokens == 0 ? word : whisper_token_eot(ctx)] = 0;
  };
  ASSERT_EQ(run(params), 0) << whisper_ext_last_error();
  ASSERT_EQ(whisper_full_n_segments(context_), 1);
  EXPECT_STREQ(whisper_full_get_segment_text(context_, 0), " a");
}

}  // namespace
}  // namespace speech::testing
