// The object behind whisper_ext_audio.
#pragma once

#include <memory>
#include <vector>

#include "audio/audio.h"
#include "whisper_ext.h"

struct whisper_ext_audio {
  speech::AudioFormat source;
  std::vector<float> samples;                        // of a recording in memory
  std::shared_ptr<const speech::SampleSource> file;  // of one that stays in its file

  speech::Samples recording() const { return file != nullptr ? speech::Samples(file) : speech::Samples(samples); }
};
