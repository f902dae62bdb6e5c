// The samples of a cut recording, read from the original as they are needed. Knows no model.
#pragma once

#include "audio/samples.h"
#include "vad/timeline.h"

namespace speech {

/// Stretches of `original` where the timeline has them, silence between.
class CutSamples final : public SampleSource {
 public:
  CutSamples(Samples original, Timeline timeline) : original_(std::move(original)), timeline_(std::move(timeline)) {}

  std::size_t size() const override { return static_cast<std::size_t>(timeline_.length()); }
  Status read(std::size_t begin, std::span<float> out) const override;

 private:
  Samples original_;
  Timeline timeline_;
};

}  // namespace speech
