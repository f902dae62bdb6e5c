// libFuzzer entry over model files: reads any bytes as a model to the end. Knows the model layer only.
// Needs clang; the sources beside it are those of the layers model, text and tensor, and base/content.cpp. A useful
// first input is a small complete model, as tests/model/synthetic_model.h writes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/byte_source.h"
#include "model/reader.h"
#include "model/tensor_names.h"

namespace speech {
namespace {

Status read_whole(std::unique_ptr<ByteSource> source) {
  SPEECH_ASSIGN_OR_RETURN(ModelReader reader, ModelReader::open(std::move(source)));
  TensorChecklist checklist(reader.hyperparameters());
  std::vector<std::byte> piece(4096);
  while (true) {
    SPEECH_ASSIGN_OR_RETURN(const std::optional<TensorHeader> header, reader.next());
    if (!header) {
      return checklist.all_present();
    }
    SPEECH_ASSIGN_OR_RETURN(const ExpectedTensor* expected, checklist.accept(*header));
    // Half of the data is read, the rest passed over by next().
    for (std::size_t left = row_bytes(header->dtype, expected->shape.elements()) / 2; left > 0;) {
      const std::size_t n = std::min(left, piece.size());
      SPEECH_RETURN_IF_ERROR(reader.read_data(piece.data(), n));
      left -= n;
    }
  }
}

}  // namespace
}  // namespace speech

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const speech::Status status = speech::read_whole(speech::memory_source(std::as_bytes(std::span(data, size))));
  if (!status.is_ok() && status.message().empty()) {
    std::abort();  // an error that explains nothing is a finding
  }
  return 0;
}
