// Every option of whisper_full out of its range: refused by name with its code, or clamped where that is documented;
// and the call after it works as new.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "capi/loaded.h"
#include "text/utf8.h"

namespace speech::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kMost = std::numeric_limits<int>::max();
constexpr int kLeast = std::numeric_limits<int>::min();

using Params = whisper_full_params;

void use_beams(Params& params, int n) {
  params.strategy = WHISPER_SAMPLING_BEAM_SEARCH;
  params.beam_search.beam_size = n;
}

// As a caller in C may: any number in an enumeration.
template <typename Enum>
void set_number(Enum& value, int number) {
  std::memcpy(&value, &number, sizeof(value));
}

struct BadOption {
  std::string name;  // that the message must say
  int code;
  void (*set)(Params&);
};

const BadOption kBadOptions[] = {
    {"strategy", -1, [](Params& p) { set_number(p.strategy, 7); }},
    {"n_threads", -1, [](Params& p) { p.n_threads = -1; }},
    {"n_threads", -1, [](Params& p) { p.n_threads = kLeast; }},
    {"n_max_text_ctx", -1, [](Params& p) { p.n_max_text_ctx = -1; }},
    {"offset_ms", -1, [](Params& p) { p.offset_ms = -10; }},
    {"duration_ms", -1, [](Params& p) { p.duration_ms = -10; }},
    {"max_tokens", -1, [](Params& p) { p.max_tokens = -1; }},
    {"max_len", -1, [](Params& p) { p.max_len = -1; }},
    {"thold_pt", -1, [](Params& p) { p.thold_pt = kNan; }},
    {"thold_ptsum", -1, [](Params& p) { p.thold_ptsum = kInfinity; }},
    {"audio_ctx", -1, [](Params& p) { p.audio_ctx = -1; }},
    {"audio_ctx", -5, [](Params& p) { p.audio_ctx = 51; }},
    {"audio_ctx", -5, [](Params& p) { p.audio_ctx = kMost; }},
    {"temperature", -1, [](Params& p) { p.temperature = 1.5F; }},
    {"temperature", -1, [](Params& p) { p.temperature = -0.5F; }},
    {"temperature", -1, [](Params& p) { p.temperature = kNan; }},
    {"temperature_inc", -1, [](Params& p) { p.temperature_inc = -0.1F; }},
    {"temperature_inc", -1, [](Params& p) { p.temperature_inc = kNan; }},
    {"entropy_thold", -1, [](Params& p) { p.entropy_thold = kNan; }},
    {"logprob_thold", -1, [](Params& p) { p.logprob_thold = kNan; }},
    {"no_speech_thold", -1, [](Params& p) { p.no_speech_thold = kNan; }},
    {"length_penalty", -1, [](Params& p) { p.length_penalty = kInfinity; }},
    {"max_initial_ts", -1, [](Params& p) { p.max_initial_ts = kNan; }},
    {"grammar_penalty", -1, [](Params& p) { p.grammar_penalty = kNan; }},
    {"grammar_penalty", -1, [](Params& p) { p.grammar_penalty = -1; }},
    {"best_of", -4, [](Params& p) { p.greedy.best_of = 9; }},
    {"best_of", -4, [](Params& p) { p.greedy.best_of = 0; }},
    {"best_of", -4, [](Params& p) { p.greedy.best_of = kLeast; }},
    {"beam_size", -1, [](Params& p) { use_beams(p, 0); }},
    {"beam_size", -4, [](Params& p) { use_beams(p, 9); }},
    {"beam_size", -4, [](Params& p) { use_beams(p, -2); }},
    {"beam_size", -4, [](Params& p) { use_beams(p, kMost); }},
    {"patience", -1,
     [](Params& p) {
       use_beams(p, 2);
       p.beam_search.patience = kNan;
     }},
    {"language", -3, [](Params& p) { p.language = "xx"; }},
    {"not one of the model's", -3, [](Params& p) { p.language = "klingon"; }},
    {"English-only", -3, [](Params& p) { p.language = "de"; }},
    {"suppress_regex", -1, [](Params& p) { p.suppress_regex = "(["; }},
    {"vad_model_path", -1, [](Params& p) { p.vad = true; }},
    {"no-such-model", -1,
     [](Params& p) {
       p.vad = true;
       p.vad_model_path = "/nowhere/no-such-model.bin";
     }},
    {"threshold", -1,
     [](Params& p) {
       p.vad = true;
       p.vad_params.threshold = kNan;
     }},
    {"speech_pad_ms", -1,
     [](Params& p) {
       p.vad = true;
       p.vad_params.speech_pad_ms = -1;
     }},
};

class Contract : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { context_ = load().release(); }
  static void TearDownTestSuite() { whisper_free(context_); }

  static int run(const Params& params) { return transcribe(context_, params, made_up_audio(4000)); }
  static std::string last_error() { return whisper_ext_last_error(); }

  static whisper_context* context_;
};

whisper_context* Contract::context_ = nullptr;

TEST_F(Contract, UserReports36To42OptionsOutOfRangeAreRefusedByName) {
  ASSERT_EQ(run(short_params()), 0);
  const auto expected = result_tokens(context_);
  for (const BadOption& option : kBadOptions) {
    Params params = short_params();
    option.set(params);
    EXPECT_EQ(run(params), option.code) << option.name << ": " << last_error();
    EXPECT_NE(last_error().find(option.name), std::string::npos) << option.name << ": " << last_error();
    EXPECT_EQ(whisper_full_n_segments(context_), 0) << option.name;
  }
  ASSERT_EQ(run(short_params()), 0);
  EXPECT_EQ(result_tokens(context_), expected) << "as new after all of them";
}

TEST_F(Contract, MinusOneDecodersAreTheDefault) {
  Params params = short_params();
  params.greedy.best_of = -1;
  EXPECT_EQ(run(params), 0) << last_error();
  use_beams(params, -1);
  EXPECT_EQ(run(params), 0) << last_error();
}

TEST_F(Contract, EightDecodersAreTheMost) {
  Params params = short_params();
  params.greedy.best_of = 8;
  params.temperature = 1;
  EXPECT_EQ(run(params), 0) << last_error();
  params.temperature = 0;
  use_beams(params, 8);
  EXPECT_EQ(run(params), 0) << last_error();
}

TEST_F(Contract, AGrammarThatIsNoneIsRefused) {
  const whisper_grammar_element unknown_rule[] = {{WHISPER_GRETYPE_RULE_REF, 9}, {WHISPER_GRETYPE_END, 0}};
  const whisper_grammar_element itself[] = {{WHISPER_GRETYPE_RULE_REF, 0}, {WHISPER_GRETYPE_END, 0}};
  whisper_grammar_element unknown_kind[] = {{WHISPER_GRETYPE_CHAR, 'a'}, {WHISPER_GRETYPE_END, 0}};
  set_number(unknown_kind[0].type, 99);
  const std::vector<const whisper_grammar_element*> bad_rules = {unknown_rule, itself, unknown_kind, nullptr};
  for (const whisper_grammar_element* rule : bad_rules) {
    const whisper_grammar_element* rules[] = {rule};
    Params params = short_params();
    params.grammar_rules = rules;
    params.n_grammar_rules = 1;
    EXPECT_EQ(run(params), -1);
    EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_INVALID_ARGUMENT) << last_error();
  }
  const whisper_grammar_element letter[] = {{WHISPER_GRETYPE_CHAR, 'a'}, {WHISPER_GRETYPE_END, 0}};
  const whisper_grammar_element* rules[] = {letter};
  Params params = short_params();
  params.grammar_rules = rules;
  params.n_grammar_rules = 1;
  params.i_start_rule = 5;
  EXPECT_EQ(run(params), -1);
}

TEST_F(Contract, UserReports45And46PromptsOfAnyLengthAndBytesWork) {
  std::string broken = "ab\xFF\xC3 cd \xE4\xB8";
  for (const std::string& prompt : {std::string(), std::string("hello"), std::string(40000, 'x'), broken,
                                    std::string("\xF0\x9F\x98\x80 emoji"), std::string(3, '\x80')}) {
    Params params = short_params();
    params.initial_prompt = prompt.c_str();
    for (const bool carry : {false, true}) {
      params.carry_initial_prompt = carry;
      EXPECT_EQ(run(params), 0) << prompt.substr(0, 20) << ": " << last_error();
    }
  }
}

TEST_F(Contract, AllTextIsUtf8TokenByTokenAndSegmentBySegment) {
  Params params = short_params();
  params.print_special = true;
  ASSERT_EQ(transcribe(context_, params, made_up_audio(48000)), 0);
  int n_tokens = 0;
  for (int i = 0; i < whisper_full_n_segments(context_); ++i) {
    const std::string segment = whisper_full_get_segment_text(context_, i);
    EXPECT_TRUE(is_valid_utf8(segment));
    std::string joined;
    for (int j = 0; j < whisper_full_n_tokens(context_, i); ++j, ++n_tokens) {
      const std::string text = whisper_full_get_token_text(context_, i, j);
      EXPECT_TRUE(is_valid_utf8(text));
      joined += text;
    }
    EXPECT_EQ(joined, segment);
  }
  EXPECT_GT(n_tokens, 0);
}

TEST_F(Contract, NothingThatMayBeChosenIsNoCrash) {
  Params params = short_params();
  params.no_timestamps = true;
  params.suppress_regex = ".*|\\n";
  for (const int n_beams : {0, 5}) {
    if (n_beams > 0) {
      use_beams(params, n_beams);
    }
    EXPECT_EQ(run(params), 0) << last_error();
  }
  params.logits_filter_callback = [](whisper_context* ctx, whisper_state*, const whisper_token_data*, int,
                                     float* logits, void*) { std::fill_n(logits, whisper_n_vocab(ctx), kNan); };
  EXPECT_EQ(run(params), 0) << last_error();
  params.strategy = WHISPER_SAMPLING_GREEDY;
  params.temperature = 1;
  EXPECT_EQ(run(params), 0) << last_error();
}

TEST_F(Contract, LanguagesAreNormalised) {
  for (const char* language :
       {"en", "EN", "en-US", "en_GB", "English", "auto", "", static_cast<const char*>(nullptr)}) {
    Params params = short_params();
    params.language = language;
    EXPECT_EQ(run(params), 0) << (language != nullptr ? language : "null") << ": " << last_error();
  }
}

TEST_F(Contract, DetectLanguageAloneGivesTheLanguageAndNoText) {
  Params params = short_params();
  params.detect_language = true;
  EXPECT_EQ(run(params), 0);
  EXPECT_EQ(whisper_full_n_segments(context_), 0);
  EXPECT_EQ(whisper_full_lang_id(context_), 0);
}

TEST_F(Contract, MoreOptionsOutOfRangeAreRefusedByName) {
  const std::vector<float> samples = made_up_audio(4000);
  const auto run_with = [&](const whisper_ext_options& options) {
    return whisper_ext_full(context_, nullptr, short_params(), &options, samples.data(),
                            static_cast<int>(samples.size()));
  };
  whisper_ext_options options = whisper_ext_default_options();
  EXPECT_EQ(run_with(options), 0) << last_error();
  options.compression_ratio_thold = kNan;
  EXPECT_EQ(run_with(options), -1);
  EXPECT_NE(last_error().find("compression_ratio_thold"), std::string::npos) << last_error();
  options = whisper_ext_default_options();
  options.n_parts = 0;
  EXPECT_EQ(run_with(options), -1);
  EXPECT_NE(last_error().find("option n_parts is 0, expected 1 to 64"), std::string::npos) << last_error();
  options = whisper_ext_default_options();
  options.n_language_candidates = -3;
  EXPECT_EQ(run_with(options), -1);
  options.n_language_candidates = 2;
  EXPECT_EQ(run_with(options), -1) << "without names";
  const char* candidates[] = {"en", nullptr, "xx"};
  options.language_candidates = candidates;
  options.n_language_candidates = 3;
  EXPECT_EQ(run_with(options), -3) << "names are checked, whatever the model";
  options.compression_ratio_thold = kNan;
  options.size = sizeof(options.size);  // a caller whose struct ends there
  EXPECT_EQ(run_with(options), 0) << "fields that the caller's struct does not have are not read";
  options.size = 0;
  EXPECT_EQ(run_with(options), 0);
  EXPECT_EQ(whisper_ext_full(context_, nullptr, short_params(), nullptr, samples.data(), 4000), 0);
}

}  // namespace
}  // namespace speech::testing
