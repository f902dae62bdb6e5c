// The names and shapes of Whisper's layers, and the check of a file's tensors against them.
#include "model/tensor_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "model/file_type.h"

namespace speech {
namespace {

/// Collects the tensors of one layer after the other.
class Listing {
 public:
  void matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
    tensors_.push_back({name, Shape{rows, columns}, /*may_be_quantized=*/true, /*may_be_f16=*/true});
  }
  void float_matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
    tensors_.push_back({name, Shape{rows, columns}, false, false});
  }
  void vector(const std::string& name, std::int64_t n) { tensors_.push_back({name, Shape{n}, false, false}); }

  void layer_norm(const std::string& name, std::int64_t width) {
    vector(name + ".weight", width);
    vector(name + ".bias", width);
  }

  void linear(const std::string& name, std::int64_t out, std::int64_t in) {
    matrix(name + ".weight", out, in);
    vector(name + ".bias", out);
  }

  /// weight: (channels out, channels in, 3 taps)
  void convolution(const std::string& name, std::int64_t out, std::int64_t in) {
    tensors_.push_back({name + ".weight", Shape{out, in, 3}, false, /*may_be_f16=*/true});
    vector(name + ".bias", out);
  }

  /// Keys have no bias: it would shift all scores of a query alike, which softmax ignores.
  void attention(const std::string& name, std::int64_t width) {
    linear(name + ".query", width, width);
    matrix(name + ".key.weight", width, width);
    linear(name + ".value", width, width);
    linear(name + ".out", width, width);
  }

  void feed_forward(const std::string& block, std::int64_t width) {
    linear(block + "mlp.0", 4 * width, width);
    linear(block + "mlp.2", width, 4 * width);
    layer_norm(block + "mlp_ln", width);
  }

  std::vector<ExpectedTensor> take() { return std::move(tensors_); }

 private:
  std::vector<ExpectedTensor> tensors_;
};

/// Shapes are the same memory if they differ in dimensions of 1 only.
bool same_layout(const Shape& a, const Shape& b) {
  const auto without_ones = [](const Shape& shape) {
    std::array<std::int64_t, 3> dims = {1, 1, 1};
    std::size_t n = 0;
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] != 1) {
        dims[n++] = shape[i];
      }
    }
    return dims;
  };
  return without_ones(a) == without_ones(b);
}

std::string place(const TensorHeader& tensor) {
  return "tensor '" + tensor.name + "' (data at byte " + std::to_string(tensor.data_offset) + ")";
}

}  // namespace

std::vector<ExpectedTensor> expected_tensors(const Hyperparameters& hyperparameters) {
  Listing list;

  const std::int64_t audio_width = hyperparameters.n_audio_state;
  list.float_matrix("encoder.positional_embedding", hyperparameters.n_audio_ctx, audio_width);
  list.convolution("encoder.conv1", audio_width, hyperparameters.n_mels);
  list.convolution("encoder.conv2", audio_width, audio_width);
  for (int layer = 0; layer < hyperparameters.n_audio_layer; ++layer) {
    const std::string block = "encoder.blocks." + std::to_string(layer) + ".";
    list.attention(block + "attn", audio_width);
    list.layer_norm(block + "attn_ln", audio_width);
    list.feed_forward(block, audio_width);
  }
  list.layer_norm("encoder.ln_post", audio_width);

  const std::int64_t text_width = hyperparameters.n_text_state;
  list.float_matrix("decoder.positional_embedding", hyperparameters.n_text_ctx, text_width);
  list.matrix("decoder.token_embedding.weight", hyperparameters.n_vocab, text_width);
  for (int layer = 0; layer < hyperparameters.n_text_layer; ++layer) {
    const std::string block = "decoder.blocks." + std::to_string(layer) + ".";
    list.attention(block + "attn", text_width);
    list.layer_norm(block + "attn_ln", text_width);
    list.attention(block + "cross_attn", text_width);
    list.layer_norm(block + "cross_attn_ln", text_width);
    list.feed_forward(block, text_width);
  }
  list.layer_norm("decoder.ln", text_width);
  return list.take();
}

std::uint64_t total_weights(const Hyperparameters& hyperparameters) {
  std::uint64_t total = 0;
  for (const ExpectedTensor& tensor : expected_tensors(hyperparameters)) {
    total += static_cast<std::uint64_t>(tensor.shape.elements());
  }
  return total;
}

std::uint64_t minimum_tensor_bytes(const Hyperparameters& hyperparameters) {
  std::uint64_t total = 0;
  for (const ExpectedTensor& tensor : expected_tensors(hyperparameters)) {
    const auto weights = static_cast<std::uint64_t>(tensor.shape.elements());
    // No ggml type takes less than 1.5 bits a weight; a byte for eight is a safe lower bound.
    total += tensor.may_be_quantized ? weights / 8 : weights * (tensor.may_be_f16 ? 2 : 4);
  }
  return total;
}

TensorChecklist::TensorChecklist(const Hyperparameters& hyperparameters)
    : matrix_type_(file_type_from_number(hyperparameters.ftype).matrix_type.value_or(DType::kF16)),
      tensors_(expected_tensors(hyperparameters)),
      seen_(tensors_.size(), false) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    index_by_name_.emplace(tensors_[i].name, i);
  }
}

Result<const ExpectedTensor*> TensorChecklist::accept(const TensorHeader& tensor) {
  const auto found = index_by_name_.find(tensor.name);
  if (found == index_by_name_.end()) {
    return Status(Code::kBadFormat, place(tensor) +
                                        " does not belong to a Whisper model of these sizes; expected names as in "
                                        "'encoder.blocks.0.attn.query.weight', with fewer layers than the header says");
  }
  const ExpectedTensor& expected = tensors_[found->second];
  if (seen_[found->second]) {
    return Status(Code::kBadFormat, place(tensor) + " comes a second time; expected each tensor once");
  }
  if (!same_layout(tensor.shape, expected.shape)) {
    return Status(Code::kBadFormat, place(tensor) + " has shape " + tensor.shape.text() +
                                        "; by the file's header it must have " + expected.shape.text());
  }
  SPEECH_RETURN_IF_ERROR(check_type(expected, tensor));
  seen_[found->second] = true;
  return &expected;
}

Status TensorChecklist::check_type(const ExpectedTensor& expected, const TensorHeader& tensor) const {
  std::string wanted;
  if (expected.may_be_quantized) {
    if (tensor.dtype == matrix_type_) {
      return Status::ok();
    }
    wanted = std::string(dtype_name(matrix_type_)) + ", as the file's ftype says";
  } else if (expected.may_be_f16) {
    if (tensor.dtype == DType::kF16 || tensor.dtype == DType::kF32) {
      return Status::ok();
    }
    wanted = "f16 or f32";
  } else {
    if (tensor.dtype == DType::kF32) {
      return Status::ok();
    }
    wanted = "f32";
  }
  return {Code::kBadFormat,
          place(tensor) + " has type " + std::string(dtype_name(tensor.dtype)) + "; expected " + wanted};
}

Status TensorChecklist::all_present() const {
  constexpr std::size_t kNamed = 3;
  std::string names;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    if (!seen_[i] && ++missing <= kNamed) {
      names += (missing == 1 ? "'" : ", '") + tensors_[i].name + "'";
    }
  }
  if (missing == 0) {
    return Status::ok();
  }
  return {Code::kBadFormat, "the model has " + std::to_string(tensors_.size() - missing) + " of its " +
                                std::to_string(tensors_.size()) + " tensors; missing: " + names +
                                (missing > kNamed ? " and " + std::to_string(missing - kNamed) + " more" : "") +
                                "; the file is cut or was not converted completely"};
}

}  // namespace speech
