// Loads and runs the models of `wsp model openvino`, and those of whisper.cpp's converter.
#include "encoders/openvino/openvino_encoder.h"

#include <openvino/openvino.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace speech {
namespace {

constexpr const char* kSection = "speech";  // of the model's own information, as Python writes it
constexpr const char* kFingerprint = "encoder_fingerprint";

Status failure(const std::exception& error) {
  const std::string text = error.what();
  return {Code::kBadFormat, "OpenVINO says: " + text.substr(0, text.find_last_not_of("\n ") + 1)};
}

class OpenVinoEncoder final : public ExternalEncoder {
 public:
  OpenVinoEncoder(EncoderFacts facts, ov::Dimension frames, ov::CompiledModel model)
      : facts_(std::move(facts)), frames_(std::move(frames)), request_(model.create_infer_request()) {}

  const EncoderFacts& facts() const override { return facts_; }

  bool takes(int n_frames) const override {
    return frames_.get_min_length() <= 2 * n_frames &&
           (frames_.get_max_length() < 0 || 2 * n_frames <= frames_.get_max_length());
  }

  Status encode(std::span<const float> mel, int n_frames, std::span<float> out) override {
    try {
      const ov::Shape shape = {1, static_cast<std::size_t>(facts_.n_mels), 2 * static_cast<std::size_t>(n_frames)};
      ov::Tensor input = request_.get_input_tensor();
      input.set_shape(shape);
      std::ranges::copy(mel, input.data<float>());
      request_.infer();
      const ov::Tensor output = request_.get_output_tensor();
      if (output.get_size() != out.size()) {
        return {Code::kBadFormat,
                "it gives " + std::to_string(output.get_size()) + " values, expected " + std::to_string(out.size())};
      }
      std::copy_n(output.data<const float>(), out.size(), out.begin());
      return Status::ok();
    } catch (const std::exception& error) {
      return failure(error);
    }
  }

 private:
  EncoderFacts facts_;
  ov::Dimension frames_;  // of its input
  ov::InferRequest request_;
};

std::string in_ms(std::chrono::steady_clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

}  // namespace

bool openvino_encoder_is_built() { return true; }

Result<std::unique_ptr<ExternalEncoder>> load_openvino_encoder(const EncoderFile& file) {
  try {
    const auto start = std::chrono::steady_clock::now();
    ov::Core core;
    if (!file.cache_path.empty()) {
      core.set_property(ov::cache_dir(file.cache_path));
    }
    const std::shared_ptr<ov::Model> model = core.read_model(file.path);
    if (model->inputs().size() != 1 || model->outputs().size() != 1) {
      return Status(Code::kBadFormat, "it has " + std::to_string(model->inputs().size()) + " inputs and " +
                                          std::to_string(model->outputs().size()) + " outputs, expected one of each");
    }
    const ov::PartialShape in = model->input().get_partial_shape();
    const ov::PartialShape out = model->output().get_partial_shape();
    if (in.rank() != ov::Rank(3) || !in[1].is_static() || out.rank() != ov::Rank(3)) {
      return Status(Code::kBadFormat, "its input is " + in.to_string() + ", expected (1, mel bins, frames)");
    }
    EncoderFacts facts;
    facts.n_mels = static_cast<int>(in[1].get_length());
    facts.width = out[2].is_static() ? static_cast<int>(out[2].get_length()) : 0;
    if (model->has_rt_info(kSection, kFingerprint)) {
      facts.fingerprint = model->get_rt_info<std::string>(kSection, kFingerprint);
    }
    const std::string device = file.device.empty() ? "CPU" : file.device;
    ov::AnyMap settings;
    if (device == "CPU") {
      // A processor with bfloat16 would use it unasked: 8 bits of precision, for an encoder of 11.
      settings.insert(ov::hint::inference_precision(ov::element::f32));
    }
    ov::CompiledModel compiled = core.compile_model(model, device, settings);
    facts.loading = "compiled in " + in_ms(std::chrono::steady_clock::now() - start);
    return std::unique_ptr<ExternalEncoder>(
        std::make_unique<OpenVinoEncoder>(std::move(facts), in[2], std::move(compiled)));
  } catch (const std::exception& error) {
    return failure(error);
  }
}

}  // namespace speech
