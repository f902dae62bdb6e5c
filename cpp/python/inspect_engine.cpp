// The engine of one state and its cache for Python: encode a window, decode steps of several sequences.
#include "decode/dtw.h"
#include "inspect.h"
#include "whisper/engine.h"
#include "whisper/kv_cache.h"

namespace speech::inspect {
namespace {

std::unique_ptr<Engine> make_engine(const Model& model, int n_sequences, int n_threads) {
  expect(n_sequences >= 1 && n_sequences <= kMaxSequences, "n_sequences must be 1 .. 32");
  std::unique_ptr<Engine> engine = take(Engine::create(model.weights, take(model.factory()), n_sequences));
  engine->stream().set_n_threads(n_threads);
  return engine;
}

/// features (M, 2T) -> the encoder's output (T, D); also projects the cross-attention.
FloatArray encode(Engine& engine, const FloatArray& features) {
  const Hyperparameters& sizes = engine.weights().hyperparameters;
  expect(features.ndim() == 2 && features.shape(0) == sizes.n_mels && features.shape(1) % 2 == 0 &&
             features.shape(1) >= 2 && features.shape(1) <= 2 * sizes.n_audio_ctx,
         "features must be (M, 2T)");
  const py::ssize_t n_frames = features.shape(1);
  std::vector<float> frames(static_cast<std::size_t>(features.size()));
  for (py::ssize_t t = 0; t < n_frames; ++t) {
    for (py::ssize_t m = 0; m < sizes.n_mels; ++m) {
      frames[static_cast<std::size_t>(t * sizes.n_mels + m)] = features.data()[m * n_frames + t];
    }
  }
  require(engine.encode(frames));
  return array_of(take(engine.encoder_output()), {n_frames / 2, sizes.n_audio_state});
}

/// Logits (R, V) of the tokens whose `wanted` is true; all arguments (N,).
FloatArray decode(Engine& engine, const std::vector<std::int32_t>& tokens, const std::vector<std::int32_t>& positions,
                  const std::vector<std::int32_t>& sequences, const std::vector<bool>& wanted) {
  const Hyperparameters& sizes = engine.weights().hyperparameters;
  const std::size_t n = tokens.size();
  expect(engine.has_audio(), "encode() comes before decode()");
  expect(n >= 1 && n <= static_cast<std::size_t>(sizes.n_text_ctx), "a step has 1 .. n_text_ctx tokens");
  expect(positions.size() == n && sequences.size() == n && wanted.size() == n, "all arguments must have one length");
  std::vector<StepToken> step;
  py::ssize_t n_rows = 0;
  for (std::size_t i = 0; i < n; ++i) {
    expect(tokens[i] >= 0 && tokens[i] < sizes.n_vocab, "tokens must be 0 .. V - 1");
    expect(positions[i] >= 0 && positions[i] < sizes.n_text_ctx, "positions must be 0 .. n_text_ctx - 1");
    expect(sequences[i] >= 0 && sequences[i] < kMaxSequences, "sequences must be 0 .. 31");
    step.push_back({tokens[i], positions[i], sequences[i], wanted[i]});
    n_rows += wanted[i] ? 1 : 0;
  }
  expect(n_rows >= 1, "the logits of one token at least must be wanted");
  return array_of(take(engine.decode(step)), {n_rows, sizes.n_vocab});
}

/// What each (layer, head) looks at while the decoder reads the tokens: (H, N, n_frames).
FloatArray align(Engine& engine, const std::vector<std::int32_t>& tokens, const std::vector<std::pair<int, int>>& heads,
                 int n_frames) {
  for (const std::int32_t token : tokens) {
    expect(token >= 0 && token < engine.weights().hyperparameters.n_vocab, "tokens must be 0 .. V - 1");
  }
  std::vector<AlignmentHead> chosen;
  for (const auto& [layer, head] : heads) {
    chosen.push_back({layer, head});
  }
  return array_of(take(engine.align(tokens, chosen, n_frames)),
                  {static_cast<py::ssize_t>(heads.size()), static_cast<py::ssize_t>(tokens.size()), n_frames});
}

/// First frame of each of n_rows rows of attention (H, N, T) from first_row on.
std::vector<int> first_frames(const FloatArray& attention, int first_row, int n_rows) {
  expect(attention.ndim() == 3 && attention.size() > 0, "attention must be (H, N, T)");
  expect(first_row >= 0 && n_rows >= 1 && first_row + n_rows <= attention.shape(1), "no such rows");
  AttentionSum sum(static_cast<int>(attention.shape(1)), static_cast<int>(attention.shape(2)), first_row, n_rows);
  sum.add(span_of(attention));
  return sum.first_frames();
}

void check_sequence(SequenceId sequence) {
  expect(sequence >= 0 && sequence < kMaxSequences, "sequences must be 0 .. 31");
}

std::optional<int> claim(KvCache& cache, const std::vector<Position>& positions,
                         const std::vector<SequenceId>& sequences) {
  expect(positions.size() == sequences.size(), "positions and sequences must have one length");
  for (const SequenceId sequence : sequences) {
    check_sequence(sequence);
  }
  return cache.claim(positions, sequences);
}

}  // namespace

void bind_engine(py::module_& module) {
  py::class_<KvCache>(module, "KvCache", "Which cell holds which position of which sequences.")
      .def(py::init<int>(), py::arg("n_cells"))
      .def_property_readonly("n_cells", &KvCache::n_cells)
      .def_property_readonly("n_used_span", &KvCache::n_used_span)
      .def("clear", &KvCache::clear)
      .def("claim", &claim, py::arg("positions"), py::arg("sequences"))
      .def(
          "remove",
          [](KvCache& cache, SequenceId sequence, Position begin, Position end) {
            check_sequence(sequence);
            cache.remove(sequence, begin, end);
          },
          py::arg("sequence"), py::arg("begin") = 0, py::arg("end") = -1)
      .def(
          "copy",
          [](KvCache& cache, SequenceId from, SequenceId to) {
            check_sequence(from);
            check_sequence(to);
            cache.copy(from, to);
          },
          py::arg("source"), py::arg("target"))
      .def("visible", [](const KvCache& cache, int cell, SequenceId sequence, Position position) {
        expect(cell >= 0 && cell < cache.n_cells(), "no such cell");
        check_sequence(sequence);
        return cache.visible(cell, sequence, position);
      });

  py::class_<Engine>(module, "Engine", "One state's back-end, caches and phase buffers.")
      .def(py::init(&make_engine), py::arg("model"), py::arg("n_sequences") = 1, py::arg("n_threads") = 1,
           py::keep_alive<1, 2>())
      .def("set_n_threads", [](Engine& engine, int n_threads) { engine.stream().set_n_threads(n_threads); })
      .def("encode", &encode, py::arg("features"))
      .def("decode", &decode, py::arg("tokens"), py::arg("positions"), py::arg("sequences"), py::arg("wanted"))
      .def("align", &align, py::arg("tokens"), py::arg("heads"), py::arg("n_frames"))
      .def_property_readonly("cache", &Engine::cache, py::return_value_policy::reference_internal)
      .def_property_readonly("bytes", &Engine::bytes);

  module.def("first_frames", &first_frames, py::arg("attention"), py::arg("first_row"), py::arg("n_rows"));
}

}  // namespace speech::inspect
