// Implements core_vad.h.
#include "core_vad.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "core_error.h"
#include "generated/options.h"
#include "whisper_ext.h"

namespace speech::python {
namespace {

struct FreeSegments {
  void operator()(whisper_vad_segments* segments) const { whisper_vad_free_segments(segments); }
};

/// Bytes behind the callbacks of whisper_model_loader.
struct BytesSource {
  const std::byte* data;
  std::size_t size;

  static std::size_t read(void* self, void* output, std::size_t wanted) {
    auto* source = static_cast<BytesSource*>(self);
    const std::size_t given = std::min(wanted, source->size);
    if (given > 0) std::memcpy(output, source->data, given);
    source->data += given;
    source->size -= given;
    return given;
  }
};

int vad_length(const Samples& samples) {
  if (samples.ndim() != 1) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "audio with " + std::to_string(samples.ndim()) + " dimensions",
                  "one: (n_samples,) float32, 16 kHz mono");
  }
  if (samples.size() > std::numeric_limits<int>::max()) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, std::to_string(samples.size()) + " samples of audio",
                  "at most 2147483647, which is 37 hours", "Cut the recording.");
  }
  return static_cast<int>(samples.size());
}

}  // namespace

std::unique_ptr<Vad> Vad::from_path(const std::string& path) {
  const NativeCall call;
  whisper_ext_clear_error();
  whisper_vad_context* vad = nullptr;
  {
    const py::gil_scoped_release release;
    vad = whisper_vad_init_from_file_with_params(path.c_str(), whisper_vad_default_context_params());
  }
  if (vad == nullptr) throw_last_error("loading the voice activity model", WHISPER_EXT_BAD_FORMAT);
  return std::unique_ptr<Vad>(new Vad(vad));
}

std::unique_ptr<Vad> Vad::from_buffer(const py::buffer& data) {
  const NativeCall call;
  const py::buffer_info bytes = py::buffer(data).request();
  if (!PyBuffer_IsContiguous(bytes.view(), 'C')) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "the buffer has gaps", "contiguous bytes of a model");
  }
  BytesSource source{static_cast<const std::byte*>(bytes.ptr), static_cast<std::size_t>(bytes.size * bytes.itemsize)};
  whisper_model_loader loader{&source, &BytesSource::read, nullptr, nullptr};
  whisper_ext_clear_error();
  whisper_vad_context* vad = nullptr;
  {
    const py::gil_scoped_release release;
    vad = whisper_vad_init_with_params(&loader, whisper_vad_default_context_params());
  }
  if (vad == nullptr) throw_last_error("loading the voice activity model", WHISPER_EXT_BAD_FORMAT);
  return std::unique_ptr<Vad>(new Vad(vad));
}

whisper_vad_context* Vad::open_vad() const {
  if (!vad_) throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "the model was closed", "an open one", "Load it again.");
  return vad_.get();
}

py::array_t<float> Vad::probabilities(const Samples& samples, bool goes_on) {
  const Lease lease(busy_, "the voice activity model");
  const NativeCall call;
  whisper_vad_context* vad = open_vad();
  const int n_samples = vad_length(samples);
  const float* data = samples.data();
  whisper_ext_clear_error();
  bool ok = false;
  {
    const py::gil_scoped_release release;
    ok = goes_on ? whisper_vad_detect_speech_no_reset(vad, data, n_samples)
                 : whisper_vad_detect_speech(vad, data, n_samples);
  }
  if (!ok) throw_last_error("detecting speech");
  return py::array_t<float>(whisper_vad_n_probs(vad), whisper_vad_probs(vad));
}

py::list Vad::segments(const Samples& samples, const py::object& options) {
  const Lease lease(busy_, "the voice activity model");
  const NativeCall call;
  whisper_vad_context* vad = open_vad();
  const int n_samples = vad_length(samples);
  const float* data = samples.data();
  whisper_vad_params params = whisper_vad_default_params();
  apply(options, params);
  whisper_ext_clear_error();
  std::unique_ptr<whisper_vad_segments, FreeSegments> found;
  {
    const py::gil_scoped_release release;
    found.reset(whisper_vad_segments_from_samples(vad, params, data, n_samples));
  }
  if (!found) throw_last_error("detecting speech");
  py::list result;
  for (int i = 0; i < whisper_vad_segments_n_segments(found.get()); ++i) {
    result.append(py::make_tuple(whisper_vad_segments_get_segment_t0(found.get(), i),
                                 whisper_vad_segments_get_segment_t1(found.get(), i)));
  }
  return result;
}

void Vad::reset() {
  const Lease lease(busy_, "the voice activity model");
  whisper_vad_reset_state(open_vad());
}

void Vad::close() {
  const Lease lease(busy_, "the voice activity model");
  vad_.reset();
}

void bind_vad(py::module_& module) {
  py::class_<Vad>(module, "Vad", "A voice activity model with its stream.")
      .def_static("from_path", &Vad::from_path, py::arg("path"))
      .def_static("from_buffer", &Vad::from_buffer, py::arg("data"))
      .def("probabilities", &Vad::probabilities, py::arg("samples").noconvert(), py::arg("goes_on") = false)
      .def("segments", &Vad::segments, py::arg("samples").noconvert(), py::arg("options"))
      .def("reset", &Vad::reset)
      .def("close", &Vad::close)
      .def_property_readonly("closed", &Vad::is_closed);
}

}  // namespace speech::python
