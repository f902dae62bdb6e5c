// What users of such libraries have reported about model files and features, each at its smallest trigger
// (docs/user-reports.md).
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_file.h"
#include "capi/loaded.h"
#include "vad/synthetic_silero.h"

namespace speech::testing {
namespace {

using Image = std::vector<std::byte>;

const SyntheticModel& whole() {
  static const SyntheticModel& model = synthetic_model({});
  return model;
}

/// The model with one number replaced.
Image with_number(std::size_t offset, std::int32_t value) {
  Image image = whole().bytes;
  put_i32(image, offset, value);
  return image;
}

Image text_image(std::string_view text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

/// Null with BAD_FORMAT and a text that says `words`; the process lives.
void expect_refused(Image image, const std::vector<std::string>& words) {
  whisper_ext_clear_error();
  EXPECT_EQ(whisper_init_from_buffer_with_params(image.data(), image.size(), whisper_context_default_params()),
            nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
  const std::string message = whisper_ext_last_error();
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  }
}

TEST(ReportsOnModels, UserReport71EightBytesAreRefused) {
  expect_refused(Image(whole().bytes.begin(), whole().bytes.begin() + 8), {"ends at byte"});
}

TEST(ReportsOnModels, UserReport71HeadersWithImpossibleNumbersAreRefusedByName) {
  // In the order of the file: n_vocab is the first, n_mels the tenth, ftype the eleventh.
  expect_refused(with_number(header_field_offset(0), -1), {"n_vocab", "-1"});
  expect_refused(with_number(header_field_offset(9), 0), {"n_mels", "0"});
  expect_refused(with_number(header_field_offset(10), 99), {"ftype", "99"});
}

TEST(ReportsOnModels, UserReport72TwentyDimensionsAreRefused) {
  expect_refused(with_number(whole().tensors.front().header_offset, 20), {"20"});
  SyntheticSilero silero = synthetic_silero();
  put_i32(silero.bytes, silero.tensors.front().header_offset, 20);
  const TemporaryFile file("reports-72.bin", silero.bytes);
  EXPECT_EQ(whisper_vad_init_from_file_with_params(file.path().c_str(), whisper_vad_default_context_params()), nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_BAD_FORMAT);
}

TEST(ReportsOnModels, UserReport73VocabulariesThatSpecialTokensDoNotFitAreRefused) {
  for (const std::int32_t n_vocab : {50258, 50300, 50363}) {
    expect_refused(with_number(header_field_offset(0), n_vocab), {"n_vocab", std::to_string(n_vocab)});
  }
}

TEST(ReportsOnModels, UserReport74FiltersOfAnotherSizeAreRefusedAtOnce) {
  expect_refused(with_number(whole().filters_offset, std::numeric_limits<std::int32_t>::max()),
                 {"mel filters", "2147483647"});
}

TEST(ReportsOnModels, UserReport76WhatIsNoModelIsNamed) {
  expect_refused(text_image("<!DOCTYPE html><html><head><title>404 Not Found</title>"), {"not a ggml model", "HTML"});
  expect_refused(text_image("version https://git-lfs.github.com/spec/v1\noid sha256:60ed\nsize 147951465\n"),
                 {"not a ggml model", "LFS"});
  using namespace std::string_view_literals;
  expect_refused(text_image("GGUF\3\0\0\0\0\0\0\0\0\0\0\0"sv), {"not a ggml model", "GGUF"});
}

TEST(ReportsOnModels, UserReport79PathsWithSpacesAndAnyLettersOpen) {
  for (const char* name : {"my model.bin", "ggml-\xD7\x91\xD7\x93\xD7\x99\xD7\xA7\xD7\x94.bin"}) {
    const TemporaryFile file(name, whole().bytes);
    const ContextPointer context(
        whisper_init_from_file_with_params(file.path().c_str(), whisper_context_default_params()));
    EXPECT_NE(context, nullptr) << whisper_ext_last_error();
  }
}

TEST(ReportsOnModels, UserReport81MoreFeaturesThanThereCanBeAreRefusedUnread) {
  const ContextPointer context = load();
  const std::vector<float> mel(80);
  // Neither the bytes nor the numbers of these fit into 31 bits; whisper_full itself can have 13421772 frames.
  for (const int n_len : {13421773, 26843546, std::numeric_limits<int>::max()}) {
    EXPECT_EQ(whisper_set_mel(context.get(), mel.data(), n_len, 80), -1);
    EXPECT_NE(std::string(whisper_ext_last_error()).find(std::to_string(n_len)), std::string::npos);
  }
}

TEST(ReportsOnModels, UserReport88AMissingBackendIsAnErrorThatNamesThoseThatThereAre) {
  const char* const before = std::getenv("WSPKIT_BACKEND");
  const std::string saved = before != nullptr ? before : "";
  setenv("WSPKIT_BACKEND", "abacus", 1);
  Image image = whole().bytes;
  whisper_ext_clear_error();
  EXPECT_EQ(whisper_init_from_buffer_with_params(image.data(), image.size(), whisper_context_default_params()),
            nullptr);
  EXPECT_EQ(whisper_ext_last_error_code(), WHISPER_EXT_NOT_FOUND);
  const std::string message = whisper_ext_last_error();
  EXPECT_NE(message.find("no back-end is called 'abacus'"), std::string::npos) << message;
  EXPECT_NE(message.find("this build has: cpu"), std::string::npos) << message;
  unsetenv("WSPKIT_BACKEND");
  if (before != nullptr) {
    setenv("WSPKIT_BACKEND", saved.c_str(), 1);
  }
  EXPECT_NE(load(), nullptr);
}

}  // namespace
}  // namespace speech::testing
