// Hostile and broken model files: each is refused with what was found and what was expected.
#include "vad/silero_model.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "vad/synthetic_silero.h"

namespace speech {
namespace {

using testing::synthetic_silero;
using testing::SyntheticSilero;
using Image = std::vector<std::byte>;

const SyntheticSilero& whole() {
  static const SyntheticSilero kModel = synthetic_silero();
  return kModel;
}

Image with_i32(std::size_t offset, std::int32_t value) {
  Image image = whole().bytes;
  std::memcpy(image.data() + offset, &value, sizeof value);
  return image;
}

/// From memory, and through a callback that hides how many bytes there are.
void expect_refused(const Image& image, const std::vector<std::string>& parts) {
  std::size_t position = 0;
  const auto read = [&](void* out, std::size_t n) {
    const std::size_t n_read = std::min(n, image.size() - position);
    if (n_read > 0) {
      std::memcpy(out, image.data() + position, n_read);
    }
    position += n_read;
    return n_read;
  };
  for (const Status& status :
       {read_silero_model(memory_source(image)).status(), read_silero_model(callback_source(read)).status()}) {
    EXPECT_EQ(status.code(), Code::kBadFormat) << status.message();
    for (const std::string& part : parts) {
      EXPECT_NE(status.message().find(part), std::string::npos) << "'" << part << "' is not in: " << status.message();
    }
  }
}

TEST(SileroModel, IsReadWhole) {
  const auto weights = read_silero_model(memory_source(whole().bytes));
  ASSERT_TRUE(weights.is_ok()) << weights.status().message();
  EXPECT_EQ(weights->version, "6.2.0");
  EXPECT_EQ(weights->stft_basis.size(), 258U * 256U);
  EXPECT_EQ(weights->encoder[0].weight.size(), 128U * 129U * 3U);
  EXPECT_EQ(weights->final_bias.size(), 1U);
}

TEST(SileroModel, EachHeaderFieldOutOfRangeIsRefusedWithItsValue) {
  for (std::size_t field = 0; field < 22; ++field) {
    for (const std::int32_t value : {-1, std::numeric_limits<std::int32_t>::max()}) {
      expect_refused(with_i32(testing::silero_field_offset(field), value),
                     {"header field '", " is " + std::to_string(value), "; expected "});
    }
  }
}

TEST(SileroModel, OtherKindsOfFilesAreNamed) {
  const auto text_image = [](const std::string& text) {
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return Image(bytes, bytes + text.size());
  };
  expect_refused({}, {"an empty file"});
  expect_refused(text_image("<!DOCTYPE html><html>not found</html>"), {"an HTML page"});
  expect_refused(text_image("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), {"a Git LFS pointer"});
  expect_refused(text_image(std::string("GGUF\3\0\0\0aaaa", 12)), {"a GGUF model"});
  expect_refused(with_i32(4, 51864), {"a Whisper model"});
  expect_refused(with_i32(4, 9), {"9 bytes", "silero-16k"});
  expect_refused(with_i32(4, -1), {"-1 bytes"});
  Image other = whole().bytes;
  std::memcpy(other.data() + 8, "silero-08k", 10);
  expect_refused(other, {"silero-16k"});
}

TEST(SileroModel, TwentyDimensionsAreRefused) {
  for (const std::int32_t n_dims : {-1, 5, 20, std::numeric_limits<std::int32_t>::max()}) {
    for (const auto& tensor : whole().tensors) {
      expect_refused(with_i32(tensor.header_offset, n_dims), {"has " + std::to_string(n_dims) + " dimensions"});
    }
  }
}

TEST(SileroModel, NamesOfAnyLengthAreRefused) {
  for (const std::int32_t length : {-1, 0, 129, std::numeric_limits<std::int32_t>::max()}) {
    expect_refused(with_i32(whole().tensors[3].header_offset + 4, length),
                   {"a name of " + std::to_string(length) + " bytes"});
  }
  Image image = whole().bytes;
  image[whole().tensors[3].data_offset - 1] = std::byte{'!'};
  expect_refused(image, {"a name that no Silero model has"});
}

TEST(SileroModel, WrongShapesAndTypesAreRefusedWithTheTensorsName) {
  for (const auto& tensor : whole().tensors) {
    if (tensor.dims_offset + tensor.name.size() < tensor.data_offset) {  // a scalar has no dimensions
      for (const std::int32_t size : {-1, 0, 7, std::numeric_limits<std::int32_t>::max()}) {
        expect_refused(with_i32(tensor.dims_offset, size), {"tensor '" + tensor.name + "'", "has shape", "expected ("});
      }
    }
    for (const std::int32_t type : {-1, 2, 8, 26, 1000}) {
      expect_refused(with_i32(tensor.header_offset + 8, type), {"has type " + std::to_string(type)});
    }
  }
}

TEST(SileroModel, ValuesThatAreNotFiniteAreRefused) {
  const auto& bias = whole().tensors[1];
  expect_refused(with_i32(bias.data_offset + 8, 0x7FC00000), {"tensor '" + bias.name + "'", "value 2"});
  const auto& weight = whole().tensors[0];
  expect_refused(with_i32(weight.data_offset, 0x7C00), {"tensor '" + weight.name + "'", "value 0"});
}

TEST(SileroModel, MissingAndRepeatedTensorsAreRefused) {
  const auto& last = whole().tensors.back();
  const Image& bytes = whole().bytes;
  expect_refused(Image(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(last.header_offset)),
                 {"has no tensor '" + last.name + "'"});
  Image twice = bytes;
  twice.insert(twice.end(), bytes.begin() + static_cast<std::ptrdiff_t>(last.header_offset), bytes.end());
  expect_refused(twice, {"tensor '" + last.name + "'", "a second time"});
}

TEST(SileroModel, AFileCutAnywhereIsRefused) {
  const Image& bytes = whole().bytes;
  // Each byte of the header and of the tensors' headers, and some places inside the data.
  std::vector<std::size_t> lengths(whole().tensors_offset);
  std::iota(lengths.begin(), lengths.end(), std::size_t{0});
  for (const auto& tensor : whole().tensors) {
    for (std::size_t i = tensor.header_offset; i <= tensor.data_offset; ++i) {
      lengths.push_back(i);
    }
    lengths.push_back(tensor.data_offset + tensor.data_bytes / 2);
    lengths.push_back(tensor.data_offset + tensor.data_bytes - 1);
  }
  for (const std::size_t length : lengths) {
    const auto weights = read_silero_model(memory_source(std::span(bytes).first(length)));
    EXPECT_EQ(weights.status().code(), Code::kBadFormat) << length;
    EXPECT_FALSE(weights.status().message().empty()) << length;
  }
}

TEST(SileroModel, BytesBehindTheLastTensorAreRefused) {
  Image image = whole().bytes;
  image.push_back(std::byte{0});
  expect_refused(image, {"in a tensor's header"});
}

TEST(SileroModel, AMissingFileIsNotFound) {
  EXPECT_EQ(open_file_source("/nowhere/silero.bin").status().code(), Code::kNotFound);
}

}  // namespace
}  // namespace speech
