// Holds the list of tensors to the published models, and the checklist to refusing everything else by name.
#include "model/tensor_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/synthetic_model.h"

namespace speech {
namespace {

Hyperparameters published(std::int32_t n_vocab, std::int32_t width, std::int32_t heads, std::int32_t layers) {
  Hyperparameters h;
  h.n_vocab = n_vocab;
  h.n_audio_ctx = 1500;
  h.n_audio_state = h.n_text_state = width;
  h.n_audio_head = h.n_text_head = heads;
  h.n_audio_layer = h.n_text_layer = layers;
  h.n_text_ctx = 448;
  h.n_mels = 80;
  h.ftype = 1;
  return h;
}

TEST(ExpectedTensors, CountsAreThoseOfPublishedModels) {
  EXPECT_EQ(expected_tensors(published(51864, 384, 6, 4)).size(), 167U);  // tiny.en
  EXPECT_EQ(expected_tensors(published(51865, 512, 8, 6)).size(), 245U);  // base
}

TEST(ExpectedTensors, BytesAddUpToTheSizeOfThePublishedBaseModel) {
  // ggml-base.bin: 48 bytes of header, 8 + 80 * 201 * 4 of filters; a count of words, 50257 lengths and 307,057 bytes
  // of words; and per tensor 12 bytes, its dimensions, its name and its data.
  std::uint64_t bytes = 48 + 8 + 80 * 201 * 4 + 4 + 50257 * 4 + 307057;
  for (const ExpectedTensor& tensor : expected_tensors(published(51865, 512, 8, 6))) {
    const bool is_convolution_bias = tensor.shape.rank() == 1 && tensor.name.find("conv") != std::string::npos;
    bytes +=
        12 + 4 * static_cast<std::uint64_t>(tensor.shape.rank() + (is_convolution_bias ? 1 : 0)) + tensor.name.size();
    bytes += static_cast<std::uint64_t>(tensor.shape.elements()) * (tensor.may_be_f16 ? 2 : 4);
  }
  EXPECT_EQ(bytes, 147951465U);
}

TEST(ExpectedTensors, HaveTheNamesAndShapesOfTheOriginalConverter) {
  const auto tensors = expected_tensors(published(51864, 384, 6, 4));
  const auto shape_of = [&tensors](const std::string& name) {
    for (const ExpectedTensor& tensor : tensors) {
      if (tensor.name == name) {
        return tensor.shape.text() + (tensor.may_be_quantized ? " quantisable" : tensor.may_be_f16 ? " f16" : "");
      }
    }
    return std::string("absent");
  };
  EXPECT_EQ(shape_of("encoder.positional_embedding"), "(1500, 384)");
  EXPECT_EQ(shape_of("encoder.conv1.weight"), "(384, 80, 3) f16");
  EXPECT_EQ(shape_of("encoder.conv1.bias"), "(384)");
  EXPECT_EQ(shape_of("encoder.conv2.weight"), "(384, 384, 3) f16");
  EXPECT_EQ(shape_of("encoder.blocks.3.attn.query.weight"), "(384, 384) quantisable");
  EXPECT_EQ(shape_of("encoder.blocks.3.attn.query.bias"), "(384)");
  EXPECT_EQ(shape_of("encoder.blocks.3.attn.key.bias"), "absent");
  EXPECT_EQ(shape_of("encoder.blocks.0.mlp.0.weight"), "(1536, 384) quantisable");
  EXPECT_EQ(shape_of("encoder.blocks.0.mlp.2.weight"), "(384, 1536) quantisable");
  EXPECT_EQ(shape_of("encoder.blocks.0.cross_attn.query.weight"), "absent");
  EXPECT_EQ(shape_of("encoder.ln_post.weight"), "(384)");
  EXPECT_EQ(shape_of("decoder.positional_embedding"), "(448, 384)");
  EXPECT_EQ(shape_of("decoder.token_embedding.weight"), "(51864, 384) quantisable");
  EXPECT_EQ(shape_of("decoder.blocks.3.cross_attn.value.bias"), "(384)");
  EXPECT_EQ(shape_of("decoder.blocks.3.cross_attn_ln.weight"), "(384)");
  EXPECT_EQ(shape_of("decoder.blocks.4.attn_ln.weight"), "absent");
  EXPECT_EQ(shape_of("decoder.ln.bias"), "(384)");
}

class TensorChecklistTest : public ::testing::Test {
 protected:
  TensorChecklistTest() : checklist_(testing::synthetic_hyperparameters({})) {}

  void expect_refused(const TensorHeader& header, std::vector<std::string> parts) {
    const auto expected = checklist_.accept(header);
    ASSERT_FALSE(expected) << header.name;
    EXPECT_EQ(expected.status().code(), Code::kBadFormat);
    parts.push_back(header.name);
    for (const std::string& part : parts) {
      EXPECT_NE(expected.status().message().find(part), std::string::npos) << expected.status().message();
    }
  }

  TensorChecklist checklist_;
};

TEST_F(TensorChecklistTest, AcceptsEachTensorOnceAndKnowsWhenAllAreThere) {
  for (const ExpectedTensor& tensor : checklist_.tensors()) {
    EXPECT_FALSE(checklist_.all_present());
    const TensorHeader header{tensor.name, tensor.may_be_f16 ? DType::kF16 : DType::kF32, tensor.shape, 0};
    const auto expected = checklist_.accept(header);
    ASSERT_TRUE(expected) << expected.status().message();
    EXPECT_EQ((*expected)->name, tensor.name);
    expect_refused(header, {"second time"});
  }
  EXPECT_TRUE(checklist_.all_present());
}

TEST_F(TensorChecklistTest, MissingTensorsAreNamedAndCounted) {
  EXPECT_TRUE(checklist_.accept({"encoder.positional_embedding", DType::kF32, Shape{50, 64}, 0}));
  const Status status = checklist_.all_present();
  EXPECT_EQ(status.code(), Code::kBadFormat);
  EXPECT_NE(status.message().find("1 of its 50"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("'encoder.conv1.weight'"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("46 more"), std::string::npos) << status.message();
}

TEST_F(TensorChecklistTest, UnknownNamesAreRefused) {
  expect_refused({"encoder.blocks.1.attn.query.weight", DType::kF16, Shape{64, 64}, 99}, {"byte 99"});
  expect_refused({"model.encoder.conv1.weight", DType::kF16, Shape{64, 80, 3}, 0}, {"does not belong"});
}

TEST_F(TensorChecklistTest, WrongShapesAreRefusedWithBothShapes) {
  expect_refused({"decoder.blocks.0.mlp.0.weight", DType::kF16, Shape{64, 256}, 0}, {"(64, 256)", "(256, 64)"});
  expect_refused({"encoder.conv1.weight", DType::kF16, Shape{64, 3, 80}, 0}, {"(64, 3, 80)", "(64, 80, 3)"});
  expect_refused({"encoder.ln_post.weight", DType::kF32, Shape{63}, 0}, {"(63)", "(64)"});
}

TEST_F(TensorChecklistTest, ConvolutionBiasesMayBeColumns) {
  EXPECT_TRUE(checklist_.accept({"encoder.conv1.bias", DType::kF32, Shape{64, 1}, 0}));
  EXPECT_TRUE(checklist_.accept({"encoder.conv2.bias", DType::kF32, Shape{64}, 0}));
}

TEST_F(TensorChecklistTest, WrongTypesAreRefusedWithBothTypes) {
  expect_refused({"encoder.ln_post.weight", DType::kF16, Shape{64}, 0}, {"f16", "expected f32"});
  expect_refused({"encoder.conv2.weight", DType::kQ8_0, Shape{64, 64, 3}, 0}, {"q8_0", "f16 or f32"});
  // The header says f16.
  expect_refused({"decoder.blocks.0.mlp.0.weight", DType::kQ5_0, Shape{256, 64}, 0}, {"q5_0", "expected f16", "ftype"});
}

}  // namespace
}  // namespace speech
