// A model's sizes, vocabulary and encoder, stage by stage, for Python.
#include "backend/registry.h"
#include "backend/workspace.h"
#include "inspect.h"
#include "model/byte_source.h"
#include "whisper/decoder.h"
#include "whisper/encoder.h"

namespace speech::inspect {
namespace {

std::unique_ptr<Model> load(const std::string& path, const std::string& backend_name) {
  ModelReader reader = take(ModelReader::open(take(open_file_source(path))));
  BackendFactory factory = take(backend_factory(backend_name));
  std::unique_ptr<Backend> backend = take(factory());
  std::shared_ptr<const Weights> weights = take(load_weights(reader, *backend));
  return std::make_unique<Model>(
      Model{reader.vocabulary(), reader.filters(), std::move(factory), std::move(backend), std::move(weights)});
}

/// A back-end of its own for one computation, with memory for it.
class Bench {
 public:
  explicit Bench(const Model& model, int n_threads) : backend_(take(model.factory())) {
    backend_->stream().set_n_threads(n_threads);
  }

  Stream& stream() { return backend_->stream(); }

  Tensor tensor(DType dtype, const Shape& shape) {
    buffers_.push_back(take(backend_->allocate(row_bytes(dtype, shape.elements()))));
    return {buffers_.back().get(), 0, dtype, shape};
  }

  /// A workspace as large as `record(stream, workspace)` needs.
  template <typename Record>
  Workspace workspace(const Record& record) {
    MeasuringStream measuring;
    Workspace measured;
    record(measuring, measured);
    MemoryPlan plan = measured.plan();
    std::shared_ptr<Buffer> buffer = take(backend_->allocate(plan.total_bytes));
    return Workspace(std::move(plan), std::move(buffer));
  }

  /// Runs what was recorded and copies a tensor out.
  FloatArray result(const Tensor& tensor) {
    stream().submit();
    require(stream().wait());
    const std::span<const float> values = take(stream().read(tensor));
    return array_of(values, {tensor.rows(), tensor.columns()});
  }

 private:
  std::unique_ptr<Backend> backend_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

/// (M, 2T) as NumPy has it -> (2T, M) as the encoder wants it.
std::vector<float> frames_first(const Model& model, const FloatArray& features) {
  const py::ssize_t n_mels = model.sizes().n_mels;
  expect(features.ndim() == 2 && features.shape(0) == n_mels && features.shape(1) % 2 == 0, "features must be (M, 2T)");
  const py::ssize_t n_frames = features.shape(1);
  expect(n_frames >= 2 && n_frames <= 2 * model.sizes().n_audio_ctx, "features must have 2 .. 2 n_audio_ctx frames");
  std::vector<float> frames(static_cast<std::size_t>(n_mels * n_frames));
  for (py::ssize_t t = 0; t < n_frames; ++t) {
    for (py::ssize_t m = 0; m < n_mels; ++m) {
      frames[static_cast<std::size_t>(t * n_mels + m)] = features.data()[m * n_frames + t];
    }
  }
  return frames;
}

/// (2T, D) after the first convolution and its activation.
FloatArray first_convolution(const Model& model, const FloatArray& features, int n_threads) {
  const std::vector<float> mel = frames_first(model, features);
  Bench bench(model, n_threads);
  const std::int64_t n_frames = features.shape(1);
  const Tensor input = bench.tensor(DType::kF32, {n_frames, model.sizes().n_mels});
  const Tensor out = bench.tensor(DType::kF32, {n_frames, model.sizes().n_audio_state});
  const Linear& conv1 = model.weights->encoder.conv1;
  bench.stream().upload(input, std::as_bytes(std::span(mel)));
  bench.stream().convolve(conv1.weight, conv1.bias, input, 1, Activation::kGelu, out);
  return bench.result(out);
}

/// (T, D): convolutions and positions, then the first n_layers layers; normed by the encoder's last norm if `normed`.
FloatArray encoder_prefix(const Model& model, const FloatArray& features, int n_layers, bool normed, int n_threads) {
  expect(n_layers >= 0 && n_layers <= model.sizes().n_audio_layer, "n_layers must be 0 .. n_audio_layer");
  expect(normed || n_layers == 0, "only the convolutions can be seen without the last norm");
  const std::vector<float> mel = frames_first(model, features);
  Bench bench(model, n_threads);
  const Tensor x = bench.tensor(DType::kF32, {features.shape(1) / 2, model.sizes().n_audio_state});
  EncoderWeights weights = model.weights->encoder;
  weights.layers.resize(static_cast<std::size_t>(n_layers));

  const auto convolve = [&](Stream& stream, Workspace& workspace) {
    record_convolution(stream, workspace, weights, mel, model.sizes().n_mels, x);
  };
  const auto encode = [&](Stream& stream, Workspace& workspace) {
    record_encoder(stream, workspace, weights, model.sizes().n_audio_head, x);
  };
  Workspace convolution = bench.workspace(convolve);
  convolve(bench.stream(), convolution);
  if (!normed) {
    return bench.result(x);
  }
  Workspace encoder = bench.workspace(encode);
  encode(bench.stream(), encoder);
  return bench.result(x);
}

/// Keys and values (T, D) of each decoder layer for an encoder's output (T, D), before they are stored as F16.
std::vector<std::pair<FloatArray, FloatArray>> cross_keys_values(const Model& model, const FloatArray& audio,
                                                                 int n_threads) {
  const std::int64_t width = model.sizes().n_audio_state;
  expect(audio.ndim() == 2 && audio.shape(1) == width, "audio must be (T, D)");
  Bench bench(model, n_threads);
  const Tensor x = bench.tensor(DType::kF32, {audio.shape(0), width});
  std::vector<LayerCache> cross;
  for (std::size_t i = 0; i < model.weights->decoder.layers.size(); ++i) {
    const Tensor keys = bench.tensor(DType::kF32, {audio.shape(0), model.sizes().n_text_state});
    const Tensor values = bench.tensor(DType::kF32, {audio.shape(0), model.sizes().n_text_state});
    cross.push_back({keys, values});
  }
  bench.stream().upload(x, std::as_bytes(span_of(audio)));
  record_cross(bench.stream(), model.weights->decoder, x, cross);
  std::vector<std::pair<FloatArray, FloatArray>> layers;
  for (const LayerCache& layer : cross) {
    FloatArray keys = bench.result(layer.keys);
    layers.emplace_back(std::move(keys), bench.result(layer.values));
  }
  return layers;
}

py::dict sizes_of(const Model& model) {
  const Hyperparameters& h = model.sizes();
  py::dict sizes;
  sizes["n_vocab"] = h.n_vocab;
  sizes["n_audio_ctx"] = h.n_audio_ctx;
  sizes["n_audio_state"] = h.n_audio_state;
  sizes["n_audio_head"] = h.n_audio_head;
  sizes["n_audio_layer"] = h.n_audio_layer;
  sizes["n_text_ctx"] = h.n_text_ctx;
  sizes["n_text_state"] = h.n_text_state;
  sizes["n_text_head"] = h.n_text_head;
  sizes["n_text_layer"] = h.n_text_layer;
  sizes["n_mels"] = h.n_mels;
  sizes["ftype"] = h.ftype;
  return sizes;
}

}  // namespace

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model", "A model file with its weights on one kind of back-end.")
      .def(py::init(&load), py::arg("path"), py::arg("backend") = "")
      .def_property_readonly("sizes", &sizes_of)
      .def_property_readonly("weights_bytes", [](const Model& model) { return model.weights->total_bytes; })
      .def_property_readonly(
          "filters",
          [](const Model& model) { return array_of(model.filters.weights, {model.filters.n_mels, kFftBins}); })
      .def("encode_text",
           [](const Model& model, const py::bytes& text) { return model.vocabulary.encode(std::string(text)); })
      .def("token_bytes", [](const Model& model, Token token) { return py::bytes(model.vocabulary.bytes(token)); })
      .def("first_convolution", &first_convolution, py::arg("features"), py::arg("n_threads") = 1)
      .def("encoder_prefix", &encoder_prefix, py::arg("features"), py::arg("n_layers"), py::arg("normed") = true,
           py::arg("n_threads") = 1)
      .def("cross_keys_values", &cross_keys_values, py::arg("audio"), py::arg("n_threads") = 1);
}

}  // namespace speech::inspect
