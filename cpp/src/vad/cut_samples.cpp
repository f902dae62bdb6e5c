// From places in the cut recording to places in the original.
#include "vad/cut_samples.h"

#include <algorithm>

namespace speech {

Status CutSamples::read(std::size_t begin, std::span<float> out) const {
  std::ranges::fill(out, 0.0F);
  const auto from = static_cast<std::int64_t>(begin);
  const auto to = from + static_cast<std::int64_t>(out.size());
  std::vector<float> room;
  for (const Timeline::Piece& piece : timeline_.pieces()) {
    const std::int64_t first = std::max(from, piece.cut);
    const std::int64_t end = std::min(to, piece.cut + piece.length);
    if (first >= end) {
      continue;
    }
    SPEECH_ASSIGN_OR_RETURN(const std::span<const float> samples,
                            original_.read(static_cast<std::size_t>(piece.original + first - piece.cut),
                                           static_cast<std::size_t>(end - first), room));
    std::ranges::copy(samples, out.begin() + static_cast<std::ptrdiff_t>(first - from));
  }
  return Status::ok();
}

}  // namespace speech
