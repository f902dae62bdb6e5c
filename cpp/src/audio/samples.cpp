// Stretches of samples.
#include "audio/samples.h"

namespace speech {

Samples Samples::subspan(std::size_t begin, std::size_t n) const {
  Samples part = *this;
  part.size_ = n;
  if (is_in_memory()) {
    part.memory_ = memory_.subspan(begin, n);
  } else {
    part.begin_ += begin;
  }
  return part;
}

Result<std::span<const float>> Samples::read(std::size_t begin, std::size_t n, std::vector<float>& room) const {
  if (is_in_memory()) {
    return memory_.subspan(begin, n);
  }
  room.resize(n);
  SPEECH_RETURN_IF_ERROR(source_->read(begin_ + begin, room));
  return std::span<const float>(room);
}

}  // namespace speech
