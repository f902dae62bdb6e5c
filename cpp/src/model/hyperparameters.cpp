// Checks each number alone, then those that must fit each other.
#include "model/hyperparameters.h"

#include <string>

#include "model/file_type.h"
#include "model/tensor_names.h"
#include "text/vocabulary.h"

namespace speech {
namespace {

Status unexpected(const char* field, std::int64_t value, const std::string& expected) {
  return {Code::kBadFormat,
          "header field " + std::string(field) + " is " + std::to_string(value) + "; expected " + expected};
}

Status check_range(const char* field, std::int32_t value, std::int32_t low, std::int32_t high) {
  if (value >= low && value <= high) {
    return Status::ok();
  }
  return unexpected(field, value, std::to_string(low) + " to " + std::to_string(high));
}

/// Heads divide the width between them.
Status check_heads(const char* head_field, std::int32_t heads, std::int32_t width) {
  if (heads < 1 || heads > width || width % heads != 0) {
    return unexpected(head_field, heads, "a divisor of the width " + std::to_string(width));
  }
  if (width / heads > kMaxHeadWidth) {
    return unexpected(head_field, heads,
                      "at least " + std::to_string((width + kMaxHeadWidth - 1) / kMaxHeadWidth) + " heads for width " +
                          std::to_string(width) + ", so that each is at most " + std::to_string(kMaxHeadWidth) +
                          " wide");
  }
  return Status::ok();
}

Status check_file_type(std::int32_t field) {
  constexpr const char* kExpected =
      "0 (f32), 1 (f16), 2 (q4_0), 3 (q4_1), 7 (q8_0), 8 (q5_0), 9 (q5_1) or 10 to 14 (q2_K to q6_K), plus 1000 x "
      "version";
  if (field < 0) {
    return unexpected("ftype", field, kExpected);
  }
  const std::int32_t number = field % kQuantizationFactor;
  const std::int32_t version = field / kQuantizationFactor;
  const FileType type = file_type_from_number(number);
  if (type.name.empty() || version > kQuantizationVersion) {
    return unexpected("ftype", field, kExpected);
  }
  if (!type.matrix_type) {
    return {Code::kUnsupported, "header field ftype is " + std::to_string(field) + ": weights of type " +
                                    std::string(type.name) + " are not supported yet; expected " + kExpected +
                                    "; convert or quantise the model to one of these"};
  }
  if (is_quantized(*type.matrix_type) && version != kQuantizationVersion) {
    return {Code::kUnsupported, "header field ftype is " + std::to_string(field) + ": " + std::string(type.name) +
                                    " weights in version " + std::to_string(version) +
                                    " of the layout; expected version " + std::to_string(kQuantizationVersion) +
                                    "; quantise the model again"};
  }
  return Status::ok();
}

Status check_each(const Hyperparameters& h, std::int32_t ftype_field) {
  if (const auto special = special_tokens(h.n_vocab); !special) {
    return Status(special.status().code(), "header field " + special.status().message());
  }
  SPEECH_RETURN_IF_ERROR(check_range("n_audio_ctx", h.n_audio_ctx, 1, kMaxAudioContext));
  SPEECH_RETURN_IF_ERROR(check_range("n_audio_state", h.n_audio_state, 1, kMaxWidth));
  SPEECH_RETURN_IF_ERROR(check_heads("n_audio_head", h.n_audio_head, h.n_audio_state));
  SPEECH_RETURN_IF_ERROR(check_range("n_audio_layer", h.n_audio_layer, 1, kMaxLayers));
  SPEECH_RETURN_IF_ERROR(check_range("n_text_ctx", h.n_text_ctx, kMinTextContext, kMaxTextContext));
  if (h.n_text_state != h.n_audio_state) {
    return unexpected("n_text_state", h.n_text_state,
                      std::to_string(h.n_audio_state) + ", the width n_audio_state of the encoder that it attends to");
  }
  SPEECH_RETURN_IF_ERROR(check_heads("n_text_head", h.n_text_head, h.n_text_state));
  SPEECH_RETURN_IF_ERROR(check_range("n_text_layer", h.n_text_layer, 1, kMaxLayers));
  if (h.n_mels != 80 && h.n_mels != 128) {
    return unexpected("n_mels", h.n_mels, "80 or 128");
  }
  return check_file_type(ftype_field);
}

}  // namespace

Result<Hyperparameters> parse_hyperparameters(const std::int32_t (&fields)[kHyperparameterCount]) {
  Hyperparameters h;
  h.n_vocab = fields[0];
  h.n_audio_ctx = fields[1];
  h.n_audio_state = fields[2];
  h.n_audio_head = fields[3];
  h.n_audio_layer = fields[4];
  h.n_text_ctx = fields[5];
  h.n_text_state = fields[6];
  h.n_text_head = fields[7];
  h.n_text_layer = fields[8];
  h.n_mels = fields[9];
  SPEECH_RETURN_IF_ERROR(check_each(h, fields[10]));
  h.ftype = fields[10] % kQuantizationFactor;
  h.quantization_version = fields[10] / kQuantizationFactor;
  if (const std::uint64_t weights = total_weights(h); weights > kMaxWeights) {
    return Status(Code::kBadFormat, "the header describes a model of " + std::to_string(weights) + " weights (width " +
                                        std::to_string(h.n_audio_state) + ", layers " +
                                        std::to_string(h.n_audio_layer) + " and " + std::to_string(h.n_text_layer) +
                                        "); expected at most " + std::to_string(kMaxWeights) +
                                        ", twice those of the largest Whisper");
  }
  return h;
}

}  // namespace speech
