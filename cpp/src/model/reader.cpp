// The reading of the parts of a model file, in file order.
#include "model/reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/content.h"
#include "model/tensor_names.h"

namespace speech {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian and read as they are");

constexpr std::int32_t kMagic = 0x67676D6C;          // "lmgg" in the file
constexpr std::size_t kSniffBytes = 512;             // that describe_content() looks at
constexpr std::uint32_t kMaxWordBytesInFile = 1024;  // the longest published word has 128
constexpr std::int32_t kMaxNameBytes = 256;          // the longest published name has 43
constexpr std::int32_t kSileroNameBytes = 10;  // Silero VAD files have the same magic, then the length of "silero-16k"

std::string at_byte(std::uint64_t offset) { return "at byte " + std::to_string(offset); }

/// What a file that does not begin with the magic is, if describe_content() has no name for it.
std::string describe_foreign(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  if (text.starts_with("ggml")) {
    return "a big-endian ggml model";
  }
  if (text.substr(0, 32).find("WhisperSpec") != std::string_view::npos) {
    return "a CTranslate2 checkpoint, which must be converted first";
  }
  return describe_content(head);
}

}  // namespace

Result<ModelReader> ModelReader::open(std::unique_ptr<ByteSource> source) {
  ModelReader reader;
  reader.source_ = std::move(source);
  SPEECH_RETURN_IF_ERROR(reader.read_magic());
  SPEECH_RETURN_IF_ERROR(reader.read_hyperparameters());
  SPEECH_RETURN_IF_ERROR(reader.read_filters());
  SPEECH_RETURN_IF_ERROR(reader.read_vocabulary());
  return reader;
}

Status ModelReader::read_bytes(void* out, std::size_t n, std::string_view what, std::string_view name) {
  auto n_read = source_->read(out, n);
  if (n_read && *n_read == n) {
    offset_ += n;
    return Status::ok();
  }
  std::string place(what);
  if (!name.empty()) {
    place.append(" '").append(name).append("'");
  }
  if (!n_read) {
    return n_read.status().with_context("reading " + place);
  }
  return {Code::kBadFormat, "the file ends at byte " + std::to_string(offset_ + *n_read) + ", in " + place +
                                ": expected " + std::to_string(n) + " bytes there from byte " +
                                std::to_string(offset_) + "; the file is cut: get it again"};
}

Status ModelReader::read_magic() {
  std::array<std::byte, kSniffBytes> head;
  SPEECH_ASSIGN_OR_RETURN(std::size_t n_read, source_->read(head.data(), sizeof kMagic));
  std::int32_t magic = 0;
  if (n_read == sizeof magic) {
    std::memcpy(&magic, head.data(), sizeof magic);
    if (magic == kMagic) {
      offset_ = n_read;
      return Status::ok();
    }
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_more, source_->read(head.data() + n_read, head.size() - n_read));
    n_read += n_more;
  }
  std::string message = "not a ggml model but " + describe_foreign(std::span(head).first(n_read));
  if (const auto size = source_->size()) {
    message += " (" + std::to_string(*size) + " bytes)";
  }
  return {Code::kBadFormat, message + "; expected a Whisper model in ggml's .bin format, which begins with \"lmgg\""};
}

Status ModelReader::read_hyperparameters() {
  std::int32_t fields[kHyperparameterCount];
  SPEECH_RETURN_IF_ERROR(read_bytes(fields, sizeof fields, "the header"));
  std::string_view name(reinterpret_cast<const char*>(fields + 1), kSileroNameBytes);
  if (fields[0] == kSileroNameBytes && name.starts_with("silero")) {
    return {Code::kBadFormat, "a Silero voice activity model; expected a Whisper model"};
  }
  SPEECH_ASSIGN_OR_RETURN(hyperparameters_, parse_hyperparameters(fields));
  return Status::ok();
}

Status ModelReader::read_filters() {
  std::int32_t sizes[2];
  SPEECH_RETURN_IF_ERROR(read_bytes(sizes, sizeof sizes, "the sizes of the mel filters"));
  if (sizes[0] != hyperparameters_.n_mels || sizes[1] != kFftBins) {
    return {Code::kBadFormat, "the mel filters " + at_byte(offset_ - sizeof sizes) + " are " +
                                  std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + "; expected n_mels x " +
                                  std::to_string(kFftBins) + " = " + std::to_string(hyperparameters_.n_mels) + " x " +
                                  std::to_string(kFftBins)};
  }
  filters_.n_mels = sizes[0];
  filters_.weights.resize(static_cast<std::size_t>(sizes[0]) * kFftBins);
  const std::uint64_t begin = offset_;
  SPEECH_RETURN_IF_ERROR(
      read_bytes(filters_.weights.data(), filters_.weights.size() * sizeof(float), "the mel filters"));
  for (std::size_t i = 0; i < filters_.weights.size(); ++i) {
    if (!std::isfinite(filters_.weights[i])) {
      return {Code::kBadFormat, "mel filter " + std::to_string(i / kFftBins) + ", bin " + std::to_string(i % kFftBins) +
                                    " " + at_byte(begin + i * sizeof(float)) + " is not a finite number"};
    }
  }
  return Status::ok();
}

Status ModelReader::read_vocabulary() {
  std::int32_t n_words = 0;
  SPEECH_RETURN_IF_ERROR(read_bytes(&n_words, sizeof n_words, "the number of words in the vocabulary"));
  if (n_words < 1 || n_words > hyperparameters_.n_vocab) {
    return {Code::kBadFormat, "the vocabulary " + at_byte(offset_ - sizeof n_words) + " claims " +
                                  std::to_string(n_words) + " words; expected at most n_vocab, " +
                                  std::to_string(hyperparameters_.n_vocab)};
  }
  std::vector<std::string> words;
  words.reserve(static_cast<std::size_t>(hyperparameters_.n_vocab));  // validated: 2 MB at most
  for (std::int32_t i = 0; i < n_words; ++i) {
    std::uint32_t length = 0;
    SPEECH_RETURN_IF_ERROR(read_bytes(&length, sizeof length, "the vocabulary"));
    if (length > kMaxWordBytesInFile) {
      return {Code::kBadFormat, "word " + std::to_string(i) + " of the vocabulary " + at_byte(offset_ - sizeof length) +
                                    " claims " + std::to_string(length) + " bytes; expected at most " +
                                    std::to_string(kMaxWordBytesInFile)};
    }
    std::string word(length, '\0');
    SPEECH_RETURN_IF_ERROR(read_bytes(word.data(), length, "the vocabulary"));
    words.push_back(std::move(word));
  }
  SPEECH_RETURN_IF_ERROR(check_tensors_fit());
  SPEECH_ASSIGN_OR_RETURN(vocabulary_, Vocabulary::build(std::move(words), hyperparameters_.n_vocab));
  return Status::ok();
}

Status ModelReader::check_tensors_fit() const {
  const auto size = source_->size();
  if (!size) {
    return Status::ok();
  }
  const std::uint64_t left = *size - std::min(*size, offset_);
  const std::uint64_t needed = minimum_tensor_bytes(hyperparameters_);
  if (left > 0 && left < needed) {
    return {Code::kBadFormat, "the file ends at byte " + std::to_string(*size) + " with " + std::to_string(left) +
                                  " bytes for its tensors; a model with this header needs at least " +
                                  std::to_string(needed) + "; the file is cut: get it again"};
  }
  return Status::ok();
}

std::string ModelReader::behind() const {
  return tensor_name_.empty() ? "behind the vocabulary" : "behind tensor '" + tensor_name_ + "'";
}

Result<std::optional<TensorHeader>> ModelReader::next() {
  if (data_left_ > 0) {
    SPEECH_ASSIGN_OR_RETURN(const std::uint64_t n_skipped, source_->skip(data_left_));
    if (n_skipped < data_left_) {
      return Status(Code::kBadFormat, "the file ends at byte " + std::to_string(offset_ + n_skipped) + ", in tensor '" +
                                          tensor_name_ + "', which has " + std::to_string(data_left_ - n_skipped) +
                                          " bytes more; the file is cut: get it again");
    }
    offset_ += n_skipped;
    data_left_ = 0;
  }

  std::int32_t head[3];  // dimensions, bytes of the name, type
  SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, source_->read(head, sizeof head));
  if (n_read == 0) {
    if (tensor_name_.empty()) {
      return Status(Code::kBadFormat,
                    "the file ends " + at_byte(offset_) +
                        " without tensors, as test files for loaders do; expected a model with its weights");
    }
    return std::optional<TensorHeader>();
  }
  if (n_read < sizeof head) {
    return Status(Code::kBadFormat, "the file ends at byte " + std::to_string(offset_ + n_read) + ", " +
                                        std::to_string(n_read) + " bytes " + behind() +
                                        "; a tensor header has 12: the file is cut or something was appended to it");
  }
  SPEECH_ASSIGN_OR_RETURN(TensorHeader header, read_tensor_header(head));
  return std::optional<TensorHeader>(std::move(header));
}

Status ModelReader::check_name(const std::string& name, std::uint64_t offset) const {
  const bool is_printable = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (is_printable) {
    return Status::ok();
  }
  return {Code::kBadFormat, "the tensor header " + at_byte(offset) + ", " + behind() +
                                ", has a name with unprintable characters; expected one as in 'encoder.conv1.weight'"};
}

Result<TensorHeader> ModelReader::read_tensor_header(const std::int32_t (&head)[3]) {
  const std::uint64_t header_offset = offset_;
  offset_ += sizeof head;
  const auto [n_dims, name_bytes, type] = head;
  const std::string where = "the tensor header " + at_byte(header_offset) + ", " + behind() + ",";
  if (n_dims < 1 || n_dims > 3) {
    return Status(Code::kBadFormat, where + " has " + std::to_string(n_dims) + " dimensions; expected 1 to 3");
  }
  if (name_bytes < 1 || name_bytes > kMaxNameBytes) {
    return Status(Code::kBadFormat, where + " has a name of " + std::to_string(name_bytes) + " bytes; expected 1 to " +
                                        std::to_string(kMaxNameBytes));
  }
  std::array<std::int32_t, 3> dims = {1, 1, 1};  // innermost first
  SPEECH_RETURN_IF_ERROR(
      read_bytes(dims.data(), static_cast<std::size_t>(n_dims) * sizeof dims[0], "a tensor's dimensions"));
  TensorHeader header;
  header.name.resize(static_cast<std::size_t>(name_bytes));
  SPEECH_RETURN_IF_ERROR(read_bytes(header.name.data(), header.name.size(), "a tensor's name"));
  SPEECH_RETURN_IF_ERROR(check_name(header.name, header_offset));
  const std::string tensor = "tensor '" + header.name + "' " + at_byte(header_offset);

  const auto dtype = dtype_from_ggml(type);
  if (!dtype) {
    const std::string_view type_name = ggml_type_name(type);
    if (type_name.empty()) {
      return Status(Code::kBadFormat, tensor + " has the unknown type " + std::to_string(type) +
                                          "; expected 0 (f32), 1 (f16), 2 (q4_0), 3 (q4_1), 6 (q5_0), 7 (q5_1), 8 "
                                          "(q8_0) or 10 to 14 (q2_K to q6_K)");
    }
    return Status(Code::kUnsupported,
                  tensor + " has type " + std::string(type_name) +
                      ", which is not supported yet; expected f32, f16, q4_0, q4_1, q5_0, q5_1, q8_0 or q2_K to q6_K");
  }
  header.dtype = *dtype;

  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n_dims); ++i) {
    if (dims[i] < 1 || static_cast<std::uint64_t>(dims[i]) > kMaxWeights / elements) {
      return Status(Code::kBadFormat, tensor + " has size " + std::to_string(dims[i]) + " in dimension " +
                                          std::to_string(i) + "; expected sizes from 1 and at most " +
                                          std::to_string(kMaxWeights) + " values in all");
    }
    elements *= static_cast<std::uint64_t>(dims[i]);
  }
  switch (n_dims) {
    case 1: header.shape = Shape{dims[0]}; break;
    case 2: header.shape = Shape{dims[1], dims[0]}; break;
    default: header.shape = Shape{dims[2], dims[1], dims[0]}; break;
  }
  const BlockInfo block = block_info(header.dtype);
  if (dims[0] % block.values != 0) {
    return Status(Code::kBadFormat, tensor + " has rows of " + std::to_string(dims[0]) +
                                        " values; expected a multiple of " + std::to_string(block.values) +
                                        ", the block of " + std::string(dtype_name(header.dtype)));
  }

  const std::uint64_t data_bytes =
      elements / static_cast<std::uint64_t>(block.values) * static_cast<std::uint64_t>(block.bytes);
  if (const auto size = source_->size(); size && data_bytes > *size - std::min(*size, offset_)) {
    return Status(Code::kBadFormat, tensor + " has " + std::to_string(data_bytes) + " bytes of data from byte " +
                                        std::to_string(offset_) + ", but the file ends at byte " +
                                        std::to_string(*size) + "; the file is cut: get it again");
  }
  header.data_offset = offset_;
  data_left_ = data_bytes;
  tensor_name_ = header.name;
  return header;
}

Status ModelReader::read_data(void* out, std::size_t n) {
  if (n > data_left_) {
    return {Code::kInternal, "asked for " + std::to_string(n) + " bytes of tensor '" + tensor_name_ + "', which has " +
                                 std::to_string(data_left_) + " left"};
  }
  SPEECH_RETURN_IF_ERROR(read_bytes(out, n, "tensor", tensor_name_));
  data_left_ -= n;
  return Status::ok();
}

}  // namespace speech
