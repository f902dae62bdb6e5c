// Holds the reader to refusing files that are something else, cut short or changed, with an error that helps, whether
// the size of the file is known or not. The sanitizers watch the same tests.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/loading.h"
#include "model/reader.h"
#include "model/synthetic_model.h"

namespace speech {
namespace {

using testing::expect_refused;
using testing::Image;
using testing::load_callback;
using testing::load_memory;
using testing::small_model;
using testing::SyntheticModel;
using testing::SyntheticNumbers;
using testing::SyntheticTensor;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(ForeignFile, IsNamedByItsContent) {
  using namespace std::string_view_literals;
  struct Foreign {
    std::string_view content;
    const char* name;
  };
  for (const Foreign& foreign : {
           Foreign{"<!DOCTYPE html><html><head><title>404</title>"sv, "HTML"},
           Foreign{"<html><body>Entry not found</body></html>"sv, "HTML"},
           Foreign{"GGUF\3\0\0\0\0\0\0\0"sv, "GGUF"},
           Foreign{"version https://git-lfs.github.com/spec/v1\noid sha256:60ed5bc3\nsize 147951465\n"sv, "LFS"},
           Foreign{"PK\3\4\x14\0\0\0\0\0"sv, "ZIP"},
           Foreign{"\6\0\0\0\14\0WhisperSpec\0\3\0\0\0"sv, "CTranslate2"},
           Foreign{"ggml\0\0\xCA\x98"sv, "big-endian"},
           Foreign{"RIFF\x24\0\0\0WAVEfmt "sv, "WAV"},
           Foreign{"\x90\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"pt\"}}"sv, "afetensors"},
       }) {
    expect_refused(bytes_of(foreign.content), {"not a ggml model", foreign.name, "lmgg"});
  }
}

TEST(ForeignFile, PyTorchCheckpointIsNotTakenForAModel) {
  using namespace std::string_view_literals;
  expect_refused(bytes_of("PK\3\4\0\0\x08\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0\x12\0archive/data.pklFB"sv),
                 {"not a ggml model"});
}

TEST(ForeignFile, VoiceActivityModelWithTheSameMagicIsNamed) {
  using namespace std::string_view_literals;
  const std::string head(
      "lmgg\x0A\0\0\0silero-16k\6\0\0\0\2\0\0\0\0\0\0\0\0\2\0\0\x40\0\0\0\4\0\0\0\x81\0\0\0\x80\0\0\0"sv);
  expect_refused(bytes_of(head), {"Silero"});
}

TEST(CutFile, OfNoBytesIsEmpty) { expect_refused({}, {"empty"}); }

TEST(CutFile, OfEightBytesSaysWhereItEnds) {
  const Image image(small_model().bytes.begin(), small_model().bytes.begin() + 8);
  expect_refused(image, {"ends at byte 8", "header"});
  expect_refused(bytes_of("\x01\x02\x03\x04\x05\x06\x07\x08"), {"not a ggml model"});
}

TEST(CutFile, WithoutAnyTensorIsNamedSo) {
  const Image image(small_model().bytes.begin(),
                    small_model().bytes.begin() + static_cast<std::ptrdiff_t>(small_model().tensors_offset));
  expect_refused(image, {"without tensors"});
}

TEST(CutFile, WithMissingLastTensorNamesIt) {
  const SyntheticTensor& last = small_model().tensors.back();
  const Image image(small_model().bytes.begin(),
                    small_model().bytes.begin() + static_cast<std::ptrdiff_t>(last.header_offset));
  expect_refused(image, {"missing", last.name});
}

TEST(CutFile, BytesBehindTheLastTensorAreRefusedWithTheirPlace) {
  for (const std::size_t n : {1UL, 11UL, 12UL, 1000UL}) {
    Image image = small_model().bytes;
    image.resize(image.size() + n, std::byte{0x77});
    expect_refused(image, {"behind tensor '" + small_model().tensors.back().name + "'"});
  }
}

TEST(CutFile, IsRefusedAtEveryPlaceThatMatters) {
  const SyntheticModel& model = small_model();
  std::vector<std::size_t> cuts = {1,
                                   3,
                                   4,
                                   5,
                                   47,
                                   48,
                                   49,
                                   55,
                                   56,
                                   57,
                                   model.vocabulary_offset - 1,
                                   model.vocabulary_offset,
                                   model.vocabulary_offset + 3,
                                   model.vocabulary_offset + 4,
                                   model.vocabulary_offset + 9,
                                   model.tensors_offset - 1,
                                   model.bytes.size() - 4,
                                   model.bytes.size() - 1};
  for (std::size_t i = 0; i < model.tensors.size(); i += 7) {
    const SyntheticTensor& tensor = model.tensors[i];
    for (const std::size_t cut : {tensor.header_offset + 1, tensor.header_offset + 12, tensor.header_offset + 14,
                                  tensor.data_offset, tensor.data_offset + tensor.data_bytes / 2}) {
      cuts.push_back(cut);
    }
  }
  for (const std::size_t cut : cuts) {
    const auto image = std::span(model.bytes).first(cut);
    for (const Status& status : {load_memory(image), load_callback(image)}) {
      EXPECT_EQ(status.code(), Code::kBadFormat) << cut;
      EXPECT_FALSE(status.message().empty()) << cut;
    }
  }
}

TEST(CutFile, IsRefusedAnywhere) {
  const SyntheticModel& model = small_model();
  SyntheticNumbers numbers(3);
  // One in three inside each of: what precedes the tensors, the small tensors at the end, anywhere.
  const std::size_t last_tensors = model.tensors[model.tensors.size() - 20].header_offset;
  for (int round = 0; round < testing::kDamageRounds; ++round) {
    const std::size_t begin = round % 3 == 1 ? last_tensors : 0;
    const std::size_t end = round % 3 == 0 ? model.tensors_offset : model.bytes.size();
    const std::size_t cut = begin + numbers.below(end - begin);
    const auto image = std::span(model.bytes).first(cut);
    const Status status = round % 2 == 0 ? load_memory(image) : load_callback(image);
    ASSERT_EQ(status.code(), Code::kBadFormat) << cut;
  }
}

TEST(ChangedFile, NeverDoesMoreThanLoadOrFail) {
  const SyntheticModel& model = small_model();
  SyntheticNumbers numbers(4);
  int n_refused = 0;
  Image image = model.bytes;
  for (int round = 0; round < testing::kDamageRounds; ++round) {
    // One to eight bytes, in the header and filters' sizes, in the vocabulary, or in a tensor's header.
    std::array<std::pair<std::size_t, std::byte>, 8> saved;
    const std::size_t n_changes = 1 + numbers.below(saved.size());
    const std::size_t header = model.tensors[numbers.below(model.tensors.size())].header_offset;
    for (std::size_t i = 0; i < n_changes; ++i) {
      std::size_t at = header + numbers.below(48);
      if (round % 3 == 0) {
        at = numbers.below(56);
      } else if (round % 3 == 1) {
        at = model.vocabulary_offset + numbers.below(model.tensors_offset - model.vocabulary_offset);
      }
      saved[i] = {at, image[at]};
      image[at] = static_cast<std::byte>(numbers.below(256));
    }
    const Status status = round % 2 == 0 ? load_memory(image) : load_callback(image);
    if (!status) {
      ++n_refused;
      ASSERT_TRUE(status.code() == Code::kBadFormat || status.code() == Code::kUnsupported) << status.message();
      ASSERT_FALSE(status.message().empty());
    }
    for (std::size_t i = n_changes; i-- > 0;) {
      image[saved[i].first] = saved[i].second;
    }
  }
  EXPECT_GT(n_refused, testing::kDamageRounds / 2);  // bytes of words may change freely, nearly everything else may not
  EXPECT_TRUE(load_memory(image));
}

TEST(Callback, ThatGivesNothingIsAnEmptyFile) {
  const Status status = testing::load_all(callback_source([](void*, std::size_t) { return std::size_t{0}; }));
  EXPECT_EQ(status.code(), Code::kBadFormat);
  EXPECT_NE(status.message().find("empty"), std::string::npos) << status.message();
}

TEST(Callback, ThatFailsAnywhereIsAnErrorWithThePlace) {
  const SyntheticModel& model = small_model();
  for (const std::size_t limit : {std::size_t{6}, model.vocabulary_offset + 100, model.tensors[7].data_offset + 3}) {
    std::size_t position = 0;
    const Status status = testing::load_all(callback_source([&](void* out, std::size_t n) {
      const std::size_t n_read = std::min(n, limit - position);
      std::memcpy(out, model.bytes.data() + position, n_read);
      position += n_read;
      return n_read;
    }));
    EXPECT_EQ(status.code(), Code::kBadFormat);
    EXPECT_NE(status.message().find("ends at byte " + std::to_string(limit)), std::string::npos) << status.message();
  }
}

TEST(Callback, ThatNeverEndsIsRefusedAtTheFirstBadField) {
  const Status status = testing::load_all(callback_source([](void* out, std::size_t n) {
    std::memset(out, 0x6C, n);
    return n;
  }));
  EXPECT_EQ(status.code(), Code::kBadFormat);
}

}  // namespace
}  // namespace speech
