// Audio intake of whisper_ext.h for Python.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "whisper_ext.h"

namespace speech::python {

/// A WAV file whose samples stay there; see whisper_ext_audio_open(). Read-only: any number of threads may use it.
class AudioFile {
 public:
  /// path: bytes. Throws what the C API says.
  explicit AudioFile(const std::string& path);

  const whisper_ext_audio* get() const { return audio_.get(); }
  std::int64_t n_samples() const { return whisper_ext_audio_n_samples(get()); }

 private:
  struct Free {
    void operator()(whisper_ext_audio* audio) const { whisper_ext_audio_free(audio); }
  };
  std::unique_ptr<whisper_ext_audio, Free> audio_;
};

/// Adds AudioFile, audio_from_file, audio_from_memory and resample to the module.
void bind_audio(pybind11::module_& module);

}  // namespace speech::python
