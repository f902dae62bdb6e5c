// Windows of features.
#include "session/features.h"

#include <algorithm>

namespace speech {

Status Features::window(int first, int n, int n_threads, const std::function<bool()>& cancelled,
                        std::vector<float>& rows) {
  const auto n_mels = static_cast<std::size_t>(n_mels_);
  const int begin = std::min(first, n_frames_);
  const int n_known = std::min(n, n_frames_ - begin);
  rows.assign(static_cast<std::size_t>(n) * n_mels, 0.0F);
  std::size_t row_length = static_cast<std::size_t>(n_frames_);
  std::size_t column = static_cast<std::size_t>(begin);
  if (reader_) {
    SPEECH_RETURN_IF_ERROR(reader_->read(begin, n_known, n_threads, cancelled, values_));
    row_length = static_cast<std::size_t>(n_known);
    column = 0;
  }
  for (std::size_t m = 0; m < n_mels; ++m) {  // (M, frames) -> (frames, M)
    const float* row = values_.data() + m * row_length + column;
    for (std::size_t t = 0; t < static_cast<std::size_t>(n_known); ++t) {
      rows[t * n_mels + m] = row[t];
    }
  }
  return Status::ok();
}

}  // namespace speech
