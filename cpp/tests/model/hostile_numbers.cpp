// Holds the reader to refusing each number of a model file that is out of range, with its name, its value and what was
// expected. The sanitizers watch the same tests.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "model/loading.h"
#include "model/reader.h"
#include "model/synthetic_model.h"

namespace speech {
namespace {

using testing::expect_refused;
using testing::header_field_offset;
using testing::Image;
using testing::load_callback;
using testing::load_memory;
using testing::put_i32;
using testing::small_model;
using testing::SyntheticModel;
using testing::SyntheticTensor;

Image with_i32(std::size_t offset, std::int32_t value) {
  Image image = small_model().bytes;
  put_i32(image, offset, value);
  return image;
}

struct Field {
  const char* name;
  bool zero_is_bad;
};
/// In file order.
constexpr std::array<Field, 11> kFields = {{{"n_vocab", true},
                                            {"n_audio_ctx", true},
                                            {"n_audio_state", true},
                                            {"n_audio_head", true},
                                            {"n_audio_layer", true},
                                            {"n_text_ctx", true},
                                            {"n_text_state", true},
                                            {"n_text_head", true},
                                            {"n_text_layer", true},
                                            {"n_mels", true},
                                            {"ftype", false}}};

TEST(HostileHeader, EachFieldOutOfRangeIsRefusedWithNameValueAndExpectation) {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    for (const std::int32_t value :
         {-1, 0, std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()}) {
      if (value == 0 && !kFields[i].zero_is_bad) {
        continue;
      }
      expect_refused(
          with_i32(header_field_offset(i), value),
          {std::string("header field ") + kFields[i].name + " is " + std::to_string(value) + ";", "expected "});
    }
  }
}

TEST(HostileHeader, FtypeThatContradictsTheTensorsIsRefused) {
  expect_refused(with_i32(header_field_offset(10), 0), {"has type f16", "expected f32", "ftype"});
}

TEST(HostileHeader, VocabularySizesThatSpecialTokensDoNotFitAreRefused) {
  for (const std::int32_t n_vocab : {50256, 50258, 50300, 50363, 51863, 51867, 60000}) {
    expect_refused(with_i32(header_field_offset(0), n_vocab),
                   {"n_vocab is " + std::to_string(n_vocab), "51864", "51866"});
  }
}

TEST(HostileHeader, HeadsMustDivideTheWidth) {
  expect_refused(with_i32(header_field_offset(3), 3), {"n_audio_head is 3", "16"});
  expect_refused(with_i32(header_field_offset(7), 32), {"n_text_head is 32", "16"});
}

TEST(HostileHeader, WidthsOfBothHalvesMustAgree) {
  expect_refused(with_i32(header_field_offset(6), 32), {"n_text_state is 32", "expected 16"});
}

TEST(HostileHeader, LargestValuesThatPassAloneAreTooLargeTogether) {
  Image image = small_model().bytes;
  put_i32(image, header_field_offset(2), kMaxWidth);
  put_i32(image, header_field_offset(3), 64);
  put_i32(image, header_field_offset(6), kMaxWidth);
  put_i32(image, header_field_offset(7), 64);
  put_i32(image, header_field_offset(4), kMaxLayers);
  put_i32(image, header_field_offset(8), kMaxLayers);
  expect_refused(image, {"weights", "width 4096", "expected at most"});
}

TEST(HostileHeader, TypesThatAreNotComputedAreUnsupportedByName) {
  for (const auto& [ftype, name] : {std::pair{2015, "iq2_xxs"}, std::pair{24, "bf16"}}) {
    expect_refused(with_i32(header_field_offset(10), ftype), {"ftype is " + std::to_string(ftype), name},
                   Code::kUnsupported);
  }
  expect_refused(with_i32(header_field_offset(10), 99), {"ftype is 99"});
  expect_refused(with_i32(header_field_offset(10), 1008), {"ftype is 1008", "version 1"}, Code::kUnsupported);
  expect_refused(with_i32(header_field_offset(10), 3008), {"ftype is 3008"});
}

TEST(HostileFilters, SizesMustBeThoseOfTheHeader) {
  const std::size_t at = small_model().filters_offset;
  for (const std::int32_t value : {-1, 0, 79, 128, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(at, value), {"mel filters at byte 48", std::to_string(value) + " x 201", "80 x 201"});
  }
  for (const std::int32_t value : {-1, 0, 200, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(at + 4, value), {"mel filters at byte 48", "80 x " + std::to_string(value), "80 x 201"});
  }
}

TEST(HostileFilters, WeightsMustBeFinite) {
  const std::size_t at = small_model().filters_offset + 8;
  expect_refused(with_i32(at + 4 * (201 * 3 + 5), 0x7FC00000), {"mel filter 3, bin 5", "finite"});
  expect_refused(with_i32(at, 0x7F800000), {"mel filter 0, bin 0", "finite"});
}

TEST(HostileVocabulary, NumberOfWordsMustFitTheHeader) {
  const std::size_t at = small_model().vocabulary_offset;
  for (const std::int32_t value : {-1, 0, 51865, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(at, value), {std::to_string(value) + " words", "51864"});
  }
}

TEST(HostileVocabulary, LengthsOfWordsAreBounded) {
  const std::size_t at = small_model().vocabulary_offset + 4;
  for (const std::int32_t value : {-1, 1025, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(at, value), {"word 0", std::to_string(static_cast<std::uint32_t>(value)), "1024"});
  }
}

TEST(HostileVocabulary, FewerWordsThanTextTokensAreRefused) {
  // The words that are not counted would be taken for a tensor.
  const Status status = load_memory(with_i32(small_model().vocabulary_offset, 50255));
  EXPECT_EQ(status.code(), Code::kBadFormat);
  EXPECT_NE(status.message().find("50255 words"), std::string::npos) << status.message();
}

TEST(HostileTensor, NumberOfDimensionsIsBounded) {
  for (const SyntheticTensor& tensor : {small_model().tensors.front(), small_model().tensors.back()}) {
    for (const std::int32_t value : {-1, 0, 4, 20, std::numeric_limits<std::int32_t>::max()}) {
      expect_refused(with_i32(tensor.header_offset, value), {"at byte " + std::to_string(tensor.header_offset),
                                                             std::to_string(value) + " dimensions", "expected 1 to 3"});
    }
  }
}

TEST(HostileTensor, LengthOfItsNameIsBounded) {
  const std::size_t at = small_model().tensors[0].header_offset + 4;
  for (const std::int32_t value : {-1, 0, 257, 1 << 30, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(at, value), {"name of " + std::to_string(value) + " bytes", "1 to 256"});
  }
}

TEST(HostileTensor, UnknownTypesAreRefusedAndOthersUnsupportedByName) {
  const SyntheticTensor& tensor = small_model().tensors[5];
  for (const std::int32_t value : {-1, 4, 99, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(tensor.header_offset + 8, value), {tensor.name, "unknown type " + std::to_string(value)});
  }
  for (const auto& [id, name] : {std::pair{9, "q8_1"}, std::pair{15, "q8_K"}, std::pair{30, "bf16"}}) {
    expect_refused(with_i32(tensor.header_offset + 8, id), {tensor.name, name, "not supported"}, Code::kUnsupported);
  }
}

TEST(HostileTensor, RowsThatAreNoWholeKQuantBlocksAreRefused) {
  const SyntheticModel& model = small_model();
  const auto matrix = std::find_if(model.tensors.begin(), model.tensors.end(),
                                   [](const SyntheticTensor& tensor) { return tensor.name.ends_with("query.weight"); });
  ASSERT_NE(matrix, model.tensors.end());
  expect_refused(with_i32(matrix->header_offset + 8, 12), {matrix->name, "rows of 16 values", "256", "q4_K"});
}

TEST(HostileTensor, SizesAreBoundedAndTheirProductToo) {
  const std::size_t dims = small_model().tensors[1].header_offset + 12;  // encoder.conv1.weight, three dimensions
  for (const std::int32_t value : {-1, 0, std::numeric_limits<std::int32_t>::min()}) {
    expect_refused(with_i32(dims + 4, value), {"encoder.conv1.weight", "size " + std::to_string(value)});
  }
  Image image = small_model().bytes;
  for (std::size_t i = 0; i < 3; ++i) {
    put_i32(image, dims + 4 * i, std::numeric_limits<std::int32_t>::max());  // 2^93 values
  }
  expect_refused(image, {"encoder.conv1.weight", "2147483647"});
  for (std::size_t i = 0; i < 3; ++i) {
    put_i32(image, dims + 4 * i, 1 << 22);  // 2^66: zero in 64-bit arithmetic
  }
  expect_refused(image, {"encoder.conv1.weight", "4194304"});
}

TEST(HostileTensor, QuantisedRowsMustBeWholeBlocks) {
  const SyntheticTensor& tensor = small_model().tensors[5];  // rows of 16
  ASSERT_EQ(tensor.dtype, DType::kF16);
  expect_refused(with_i32(tensor.header_offset + 8, 2), {tensor.name, "rows of 16", "32", "q4_0"});
}

TEST(HostileTensor, UnprintableNamesAreRefusedWithoutBeingPrinted) {
  Image image = small_model().bytes;
  image[small_model().tensors[0].header_offset + 12 + 8 + 3] = std::byte{0x1B};
  for (const Status& status : {load_memory(image), load_callback(image)}) {
    EXPECT_EQ(status.code(), Code::kBadFormat);
    EXPECT_NE(status.message().find("unprintable"), std::string::npos) << status.message();
    EXPECT_EQ(status.message().find('\x1B'), std::string::npos);
  }
}

TEST(HostileTensor, SameTensorTwiceIsRefused) {
  const SyntheticModel& model = small_model();
  Image image = model.bytes;
  image.insert(image.end(), model.bytes.begin() + static_cast<std::ptrdiff_t>(model.tensors.back().header_offset),
               model.bytes.end());
  expect_refused(image, {model.tensors.back().name, "second time"});
}

}  // namespace
}  // namespace speech
