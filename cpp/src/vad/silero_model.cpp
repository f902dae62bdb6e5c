// The parts of a Silero file, in file order.
#include "vad/silero_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/content.h"
#include "base/half.h"
#include "tensor/dtype.h"

namespace speech {
namespace {

static_assert(std::endian::native == std::endian::little, "model files are little-endian and read as they are");

constexpr std::int32_t kMagic = 0x67676D6C;  // "lmgg" in the file
constexpr std::size_t kSniffBytes = 512;     // that describe_content() looks at
constexpr std::string_view kModelType = "silero-16k";
constexpr std::int32_t kMaxNameBytes = 128;  // the longest published name has 35
constexpr std::int32_t kMaxDims = 4;         // as many as the converter may write

std::string at_byte(std::uint64_t offset) { return "at byte " + std::to_string(offset); }

struct Field {
  std::string name;
  std::int32_t expected;
};

/// The numbers behind the version, in file order.
std::vector<Field> header_fields() {
  std::vector<Field> fields = {
      {"window", kVadWindowSamples}, {"context", kVadContextSamples}, {"number of convolutions", kVadConvolutions}};
  for (std::size_t i = 0; i < kVadChannels.size(); ++i) {
    const std::string name = "convolution " + std::to_string(i) + ", ";
    fields.push_back({name + "channels in", kVadChannels[i].in});
    fields.push_back({name + "channels out", kVadChannels[i].out});
    fields.push_back({name + "taps", kVadTaps});
  }
  fields.push_back({"LSTM width in", kVadHidden});
  fields.push_back({"LSTM width", kVadHidden});
  fields.push_back({"last layer, channels in", kVadHidden});
  fields.push_back({"last layer, channels out", 1});
  return fields;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + ")";
}

std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

std::size_t elements(const std::vector<std::int64_t>& shape) {
  std::size_t n = 1;
  for (const std::int64_t size : shape) {
    n *= static_cast<std::size_t>(size);
  }
  return n;
}

/// Where a tensor's values go, in the order of silero_tensors().
std::vector<std::vector<float>*> destinations(SileroWeights& weights) {
  std::vector<std::vector<float>*> places;
  for (SileroWeights::Convolution& convolution : weights.encoder) {
    places.push_back(&convolution.weight);
    places.push_back(&convolution.bias);
  }
  places.insert(places.end(), {&weights.input_weight, &weights.hidden_weight, &weights.input_bias, &weights.hidden_bias,
                               &weights.final_weight, &weights.final_bias, &weights.stft_basis});
  return places;
}

class SileroReader {
 public:
  explicit SileroReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}

  Result<SileroWeights> read() {
    SPEECH_RETURN_IF_ERROR(read_magic());
    SPEECH_RETURN_IF_ERROR(read_header());
    const std::vector<SileroTensor> expected = silero_tensors();
    const std::vector<std::vector<float>*> places = destinations(weights_);
    while (true) {
      SPEECH_ASSIGN_OR_RETURN(const bool at_end, at_end_of_tensors());
      if (at_end) {
        break;
      }
      SPEECH_RETURN_IF_ERROR(read_tensor(expected, places));
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (places[i]->empty()) {
        return Status(Code::kBadFormat, "the model has no tensor '" + expected[i].name +
                                            "'; the file is cut or was not converted completely");
      }
    }
    return std::move(weights_);
  }

 private:
  Status read_bytes(void* out, std::size_t n, const std::string& what) {
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, source_->read(out, n));
    offset_ += n_read;
    if (n_read == n) {
      return Status::ok();
    }
    return {Code::kBadFormat, "the file ends " + at_byte(offset_) + ", in " + what + ": expected " + std::to_string(n) +
                                  " bytes there; the file is cut: get it again"};
  }

  Status read_magic() {
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
    return {Code::kBadFormat, "not a ggml model but " + describe_content(std::span(head).first(n_read)) +
                                  "; expected a Silero voice activity model in ggml's .bin format"};
  }

  Status read_header() {
    std::int32_t length = 0;
    SPEECH_RETURN_IF_ERROR(read_bytes(&length, sizeof length, "the header"));
    if (length != static_cast<std::int32_t>(kModelType.size())) {
      // A Whisper model has the size of its vocabulary here.
      return {Code::kBadFormat, length > 1000
                                    ? "a Whisper model; expected a Silero voice activity model"
                                    : "the model's type has " + std::to_string(length) + " bytes; expected \"" +
                                          std::string(kModelType) + "\", a Silero voice activity model"};
    }
    std::string type(kModelType.size(), '\0');
    SPEECH_RETURN_IF_ERROR(read_bytes(type.data(), type.size(), "the header"));
    if (type != kModelType) {
      return {Code::kBadFormat, "the model's type " + at_byte(offset_ - type.size()) + " is not \"" +
                                    std::string(kModelType) + "\", a Silero voice activity model for 16 kHz"};
    }
    constexpr const char* kParts[] = {"major", "minor", "patch"};
    for (const char* part : kParts) {
      SPEECH_ASSIGN_OR_RETURN(const std::int32_t value, read_field(std::string("version, ") + part));
      if (value < 0 || value > 9999) {
        return wrong_field(std::string("version, ") + part, value, "0 to 9999");
      }
      weights_.version += (weights_.version.empty() ? "" : ".") + std::to_string(value);
    }
    for (const Field& field : header_fields()) {
      SPEECH_ASSIGN_OR_RETURN(const std::int32_t value, read_field(field.name));
      if (value != field.expected) {
        return wrong_field(field.name, value, std::to_string(field.expected));
      }
    }
    return Status::ok();
  }

  Result<std::int32_t> read_field(const std::string& name) {
    std::int32_t value = 0;
    SPEECH_RETURN_IF_ERROR(read_bytes(&value, sizeof value, "the header (" + name + ")"));
    return value;
  }

  Status wrong_field(const std::string& name, std::int32_t value, const std::string& expected) const {
    return {Code::kBadFormat, "header field '" + name + "' " + at_byte(offset_ - sizeof value) + " is " +
                                  std::to_string(value) + "; expected " + expected};
  }

  /// The first number of the next tensor's header, or the end of the file.
  Result<bool> at_end_of_tensors() {
    SPEECH_ASSIGN_OR_RETURN(const std::size_t n_read, source_->read(&n_dims_, sizeof n_dims_));
    offset_ += n_read;
    if (n_read != 0 && n_read != sizeof n_dims_) {
      return Status(Code::kBadFormat,
                    "the file ends " + at_byte(offset_) + ", in a tensor's header; the file is cut: get it again");
    }
    return n_read == 0;
  }

  Status read_tensor(const std::vector<SileroTensor>& expected, const std::vector<std::vector<float>*>& places) {
    const std::uint64_t header_offset = offset_ - sizeof n_dims_;
    const std::string where = "the tensor header " + at_byte(header_offset);
    if (n_dims_ < 0 || n_dims_ > kMaxDims) {
      return {Code::kBadFormat,
              where + " has " + std::to_string(n_dims_) + " dimensions; expected at most " + std::to_string(kMaxDims)};
    }
    std::int32_t name_bytes = 0;
    std::int32_t type = 0;
    SPEECH_RETURN_IF_ERROR(read_bytes(&name_bytes, sizeof name_bytes, "a tensor's header"));
    SPEECH_RETURN_IF_ERROR(read_bytes(&type, sizeof type, "a tensor's header"));
    if (name_bytes < 1 || name_bytes > kMaxNameBytes) {
      return {Code::kBadFormat, where + " has a name of " + std::to_string(name_bytes) + " bytes; expected 1 to " +
                                    std::to_string(kMaxNameBytes)};
    }
    std::vector<std::int64_t> shape;
    for (std::int32_t i = 0; i < n_dims_; ++i) {
      std::int32_t size = 0;
      SPEECH_RETURN_IF_ERROR(read_bytes(&size, sizeof size, "a tensor's dimensions"));
      shape.insert(shape.begin(), size);  // the file has the innermost first
    }
    std::string name(static_cast<std::size_t>(name_bytes), '\0');
    SPEECH_RETURN_IF_ERROR(read_bytes(name.data(), name.size(), "a tensor's name"));

    const auto found =
        std::find_if(expected.begin(), expected.end(), [&](const SileroTensor& tensor) { return tensor.name == name; });
    if (found == expected.end()) {
      return {Code::kBadFormat,
              where + " has a name that no Silero model has; expected names as in '" + expected.front().name + "'"};
    }
    const std::string tensor = "tensor '" + name + "' " + at_byte(header_offset);
    if (without_ones(shape) != without_ones(found->shape)) {
      return {Code::kBadFormat, tensor + " has shape " + shape_text(shape) + "; expected " + shape_text(found->shape)};
    }
    const std::optional<DType> dtype = dtype_from_ggml(type);
    if (dtype != DType::kF32 && dtype != DType::kF16) {
      return {Code::kBadFormat, tensor + " has type " + std::to_string(type) + "; expected 0 (f32) or 1 (f16)"};
    }
    std::vector<float>& values = *places[static_cast<std::size_t>(found - expected.begin())];
    if (!values.empty()) {
      return {Code::kBadFormat, tensor + " comes a second time; expected each tensor once"};
    }
    return read_values(*dtype, elements(found->shape), tensor, values);
  }

  Status read_values(DType dtype, std::size_t n, const std::string& tensor, std::vector<float>& values) {
    std::vector<float> read(n);
    if (dtype == DType::kF32) {
      SPEECH_RETURN_IF_ERROR(read_bytes(read.data(), n * sizeof(float), tensor));
    } else {
      std::vector<std::uint16_t> halves(n);
      SPEECH_RETURN_IF_ERROR(read_bytes(halves.data(), n * sizeof(std::uint16_t), tensor));
      std::transform(halves.begin(), halves.end(), read.begin(), half_to_float);
    }
    const auto bad = std::find_if(read.begin(), read.end(), [](float value) { return !std::isfinite(value); });
    if (bad != read.end()) {
      return {Code::kBadFormat, tensor + ": value " + std::to_string(bad - read.begin()) + " is not a finite number"};
    }
    values = std::move(read);
    return Status::ok();
  }

  std::unique_ptr<ByteSource> source_;
  std::uint64_t offset_ = 0;
  std::int32_t n_dims_ = 0;  // of the tensor header that begins at offset_ - 4
  SileroWeights weights_;
};

}  // namespace

std::vector<SileroTensor> silero_tensors() {
  std::vector<SileroTensor> tensors;
  for (std::size_t i = 0; i < kVadChannels.size(); ++i) {
    const std::string layer = "_model.encoder." + std::to_string(i) + ".reparam_conv.";
    tensors.push_back({layer + "weight", {kVadChannels[i].out, kVadChannels[i].in, kVadTaps}});
    tensors.push_back({layer + "bias", {kVadChannels[i].out}});
  }
  const std::string lstm = "_model.decoder.rnn.";
  tensors.push_back({lstm + "weight_ih", {4 * kVadHidden, kVadHidden}});
  tensors.push_back({lstm + "weight_hh", {4 * kVadHidden, kVadHidden}});
  tensors.push_back({lstm + "bias_ih", {4 * kVadHidden}});
  tensors.push_back({lstm + "bias_hh", {4 * kVadHidden}});
  tensors.push_back({"_model.decoder.decoder.2.weight", {kVadHidden}});
  tensors.push_back({"_model.decoder.decoder.2.bias", {}});
  tensors.push_back({"_model.stft.forward_basis_buffer", {2 * kVadBins, 1, kVadFilterTaps}});
  return tensors;
}

Result<SileroWeights> read_silero_model(std::unique_ptr<ByteSource> source) {
  return SileroReader(std::move(source)).read();
}

}  // namespace speech
