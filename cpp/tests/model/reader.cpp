// Holds the reader to what the writer of the synthetic models put into them.
#include "model/reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "model/loading.h"
#include "model/synthetic_model.h"

namespace speech {
namespace {

using testing::load_all;
using testing::load_callback;
using testing::load_memory;
using testing::synthetic_model;
using testing::SyntheticModel;
using testing::SyntheticSpec;

TEST(ModelReader, ReadsHeaderFiltersAndVocabularyAsWritten) {
  for (const std::int32_t n_vocab : {51864, 51865, 51866}) {
    SyntheticSpec spec;
    spec.n_vocab = n_vocab;
    spec.n_mels = n_vocab == 51866 ? 128 : 80;
    const SyntheticModel& model = synthetic_model(spec);
    const auto reader = ModelReader::open(memory_source(model.bytes));
    ASSERT_TRUE(reader) << reader.status().message();
    const Hyperparameters& h = reader->hyperparameters();
    EXPECT_EQ(h.n_vocab, n_vocab);
    EXPECT_EQ(h.n_audio_ctx, spec.n_audio_ctx);
    EXPECT_EQ(h.n_audio_state, spec.width);
    EXPECT_EQ(h.n_audio_head, spec.heads);
    EXPECT_EQ(h.n_audio_layer, spec.n_audio_layer);
    EXPECT_EQ(h.n_text_ctx, spec.n_text_ctx);
    EXPECT_EQ(h.n_text_state, spec.width);
    EXPECT_EQ(h.n_text_head, spec.heads);
    EXPECT_EQ(h.n_text_layer, spec.n_text_layer);
    EXPECT_EQ(h.n_mels, spec.n_mels);
    EXPECT_EQ(h.ftype, 1);
    EXPECT_EQ(reader->filters().n_mels, spec.n_mels);
    EXPECT_EQ(reader->filters().weights, testing::synthetic_filters(spec.n_mels).weights);
    EXPECT_EQ(reader->vocabulary().size(), n_vocab);
    for (std::size_t i = 0; i < model.words.size(); i += 97) {
      EXPECT_EQ(reader->vocabulary().bytes(static_cast<Token>(i)), model.words[i]);
    }
  }
}

TEST(ModelReader, GivesTensorsInFileOrderWithTheirData) {
  SyntheticSpec spec;
  spec.n_text_layer = 2;
  const SyntheticModel& model = synthetic_model(spec);
  auto reader = ModelReader::open(memory_source(model.bytes));
  ASSERT_TRUE(reader) << reader.status().message();
  for (const testing::SyntheticTensor& tensor : model.tensors) {
    const auto next = reader->next();
    ASSERT_TRUE(next) << next.status().message();
    ASSERT_TRUE(next->has_value());
    const TensorHeader& header = **next;
    EXPECT_EQ(header.name, tensor.name);
    EXPECT_EQ(header.dtype, tensor.dtype);
    EXPECT_EQ(header.data_offset, tensor.data_offset);
    ASSERT_EQ(row_bytes(header.dtype, header.shape.elements()), tensor.data_bytes);
    std::vector<std::byte> data(tensor.data_bytes);
    ASSERT_TRUE(reader->read_data(data.data(), data.size()));
    EXPECT_EQ(std::memcmp(data.data(), model.bytes.data() + tensor.data_offset, data.size()), 0) << tensor.name;
  }
  const auto end = reader->next();
  ASSERT_TRUE(end) << end.status().message();
  EXPECT_FALSE(end->has_value());
}

TEST(ModelReader, GivesShapesOutermostFirst) {
  const SyntheticModel& model = synthetic_model({});
  auto reader = ModelReader::open(memory_source(model.bytes));
  ASSERT_TRUE(reader);
  std::vector<std::string> shapes;
  for (int i = 0; i < 3; ++i) {
    shapes.push_back((*reader->next())->shape.text());
  }
  EXPECT_EQ(shapes, (std::vector<std::string>{"(50, 64)", "(64, 80, 3)", "(64, 1)"}));
}

TEST(ModelReader, DataThatIsNotReadIsPassedOver) {
  const SyntheticModel& model = synthetic_model({});
  auto reader = ModelReader::open(memory_source(model.bytes));
  ASSERT_TRUE(reader);
  std::size_t n_tensors = 0;
  while (true) {
    const auto next = reader->next();
    ASSERT_TRUE(next) << next.status().message();
    if (!*next) {
      break;
    }
    std::uint8_t first = 0;
    if (n_tensors % 2 == 0) {
      ASSERT_TRUE(reader->read_data(&first, 1));
    }
    ++n_tensors;
  }
  EXPECT_EQ(n_tensors, model.tensors.size());
}

TEST(ModelReader, MoreDataThanATensorHasIsNotGiven) {
  const SyntheticModel& model = synthetic_model({});
  auto reader = ModelReader::open(memory_source(model.bytes));
  ASSERT_TRUE(reader);
  ASSERT_TRUE(reader->next());
  std::vector<std::byte> data(model.tensors[0].data_bytes + 1);
  EXPECT_EQ(reader->read_data(data.data(), data.size()).code(), Code::kInternal);
}

TEST(ModelReader, EveryComputedTypeOfMatricesLoads) {
  for (const DType dtype : {DType::kF32, DType::kF16, DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
                            DType::kQ8_0, DType::kQ2_K, DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K}) {
    SyntheticSpec spec;
    spec.matrix_type = dtype;
    spec.width = std::max(spec.width, block_info(dtype).values);
    const SyntheticModel& model = synthetic_model(spec);
    EXPECT_EQ(load_memory(model.bytes).message(), "") << dtype_name(dtype);
    EXPECT_EQ(load_callback(model.bytes).message(), "") << dtype_name(dtype);
  }
}

TEST(ModelReader, LoadsFromAPathWithSpacesAndNonAsciiLetters) {
  const SyntheticModel& model = synthetic_model({});
  const std::string path = ::testing::TempDir() + "speech модель " + std::to_string(::getpid()) + ".bin";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(model.bytes.data()), static_cast<std::streamsize>(model.bytes.size()));
  auto source = open_file_source(path);
  ASSERT_TRUE(source) << source.status().message();
  EXPECT_EQ(load_all(std::move(source).value()).message(), "");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace speech
