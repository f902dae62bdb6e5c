// Features and resampling for Python.
#include "audio/audio.h"
#include "audio/log_mel.h"
#include "inspect.h"

namespace speech::inspect {
namespace {

FloatArray log_mel_of(const FloatArray& samples, const FloatArray& filters, int n_threads) {
  expect(filters.ndim() == 2 && filters.shape(1) == kFftBins, "filters must be (M, 201)");
  const MelFilters mel_filters{static_cast<int>(filters.shape(0)),
                               std::vector<float>(filters.data(), filters.data() + filters.size())};
  const LogMel mel = take(log_mel(span_of(samples), mel_filters, n_threads));
  return array_of(mel.values, {mel.n_mels, mel.n_frames});
}

FloatArray resampled(const FloatArray& samples, int from_hz, int to_hz) {
  const std::vector<float> out = take(resample(span_of(samples), from_hz, to_hz));
  return array_of(out, {static_cast<py::ssize_t>(out.size())});
}

}  // namespace

void bind_audio(py::module_& module) {
  module.def("log_mel", &log_mel_of, py::arg("samples"), py::arg("filters"), py::arg("n_threads") = 1,
             "(n,) samples and (M, 201) filters -> (M, T) features with 30 s of silence behind.");
  module.def("resample", &resampled, py::arg("samples"), py::arg("from_hz"), py::arg("to_hz"),
             "(n,) -> (ceil(n * to / from),)");
}

}  // namespace speech::inspect
