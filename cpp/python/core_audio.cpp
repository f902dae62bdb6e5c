// Implements core_audio.h.
#include "core_audio.h"

#include <pybind11/numpy.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core_calls.h"
#include "core_error.h"
#include "whisper_ext.h"

namespace speech::python {
namespace {

struct FreeAudio {
  void operator()(whisper_ext_audio* audio) const { whisper_ext_audio_free(audio); }
};
using AudioPointer = std::unique_ptr<whisper_ext_audio, FreeAudio>;

/// (sample_rate_hz, channels, bits_per_sample, is_float, frames)
py::tuple format_of(const whisper_ext_audio_format& format) {
  return py::make_tuple(format.sample_rate_hz, format.channels, format.bits_per_sample, format.is_float, format.frames);
}

/// (samples, sample_rate_hz, channels, bits_per_sample, is_float, frames). The samples are a read-only array over the
/// library's own memory, freed with the array.
py::tuple to_python(AudioPointer audio) {
  const whisper_ext_audio_format format = whisper_ext_audio_format_of(audio.get());
  const float* samples = whisper_ext_audio_samples(audio.get());
  const auto n_samples = static_cast<py::ssize_t>(whisper_ext_audio_n_samples(audio.get()));
  const py::capsule owner(audio.release(),
                          [](void* pointer) { whisper_ext_audio_free(static_cast<whisper_ext_audio*>(pointer)); });
  py::array_t<float> array(n_samples, samples, owner);
  array.attr("flags").attr("writeable") = false;
  return py::make_tuple(array) + format_of(format);
}

py::tuple audio_from_file(const std::string& path) {
  const NativeCall call;
  whisper_ext_clear_error();
  AudioPointer audio;
  {
    const py::gil_scoped_release release;
    audio.reset(whisper_ext_audio_from_file(path.c_str()));
  }
  if (!audio) throw_last_error("reading the recording");
  return to_python(std::move(audio));
}

py::tuple audio_from_memory(const py::buffer& data) {
  const NativeCall call;
  const py::buffer_info bytes = py::buffer(data).request();
  if (!PyBuffer_IsContiguous(bytes.view(), 'C')) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "the buffer has gaps", "contiguous bytes of a WAV file");
  }
  whisper_ext_clear_error();
  AudioPointer audio;
  {
    const py::gil_scoped_release release;
    audio.reset(whisper_ext_audio_from_memory(bytes.ptr, static_cast<std::size_t>(bytes.size * bytes.itemsize)));
  }
  if (!audio) throw_last_error("reading the recording");
  return to_python(std::move(audio));
}

py::array_t<float> resample(const py::array_t<float, py::array::c_style>& samples, int from_hz, int to_hz) {
  const NativeCall call;
  if (samples.ndim() != 1) {
    throw Failure(WHISPER_EXT_INVALID_ARGUMENT, "audio with " + std::to_string(samples.ndim()) + " dimensions", "one");
  }
  const float* data = samples.data();
  const std::int64_t n_samples = samples.size();
  whisper_ext_clear_error();
  const std::int64_t n_out = whisper_ext_resample(data, n_samples, from_hz, to_hz, nullptr, 0);
  if (n_out < 0) throw_last_error("resampling");
  py::array_t<float> out(static_cast<py::ssize_t>(n_out));
  float* target = out.mutable_data();
  std::int64_t written = 0;
  {
    const py::gil_scoped_release release;
    written = whisper_ext_resample(data, n_samples, from_hz, to_hz, target, n_out);
  }
  if (written < 0) throw_last_error("resampling");
  return out;
}

}  // namespace

AudioFile::AudioFile(const std::string& path) {
  const NativeCall call;
  whisper_ext_clear_error();
  {
    const py::gil_scoped_release release;
    audio_.reset(whisper_ext_audio_open(path.c_str()));
  }
  if (!audio_) throw_last_error("opening the recording");
}

void bind_audio(py::module_& module) {
  py::class_<AudioFile>(module, "AudioFile", "A WAV file whose samples stay there.")
      .def(py::init<const std::string&>(), py::arg("path"))
      .def_property_readonly("n_samples", &AudioFile::n_samples)
      .def_property_readonly("format",
                             [](const AudioFile& file) { return format_of(whisper_ext_audio_format_of(file.get())); });
  module.def("audio_from_file", &audio_from_file, py::arg("path"), "Decodes a WAV file; the path is bytes.");
  module.def("audio_from_memory", &audio_from_memory, py::arg("data"), "Decodes a WAV file that lies in memory.");
  module.def("resample", &resample, py::arg("samples").noconvert(), py::arg("from_hz"), py::arg("to_hz"),
             "Band-limited resampling of mono float32 audio.");
}

}  // namespace speech::python
