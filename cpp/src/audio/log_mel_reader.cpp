// Two passes over a recording: the loudest energy, then whatever is asked for.
#include "audio/log_mel_reader.h"

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "audio/fft.h"
#include "audio/mel_energies.h"

namespace speech {
namespace {

constexpr int kChunkFrames = kChunkSamples / kHopLength;  // a window of the model
static_assert(kChunkFrames % kFftLanes == 0);

}  // namespace

Result<LogMelReader> LogMelReader::open(Samples samples, MelFilters filters, int n_threads,
                                        const Cancelled& cancelled) {
  SPEECH_RETURN_IF_ERROR(check_length(samples.size()));
  SPEECH_RETURN_IF_ERROR(check_filters(filters));
  SPEECH_RETURN_IF_ERROR(check_mel_threads(n_threads));
  const FrameCounts counts = frame_counts(static_cast<std::int64_t>(samples.size()));
  LogMelReader reader(std::move(samples), std::move(filters));
  reader.n_frames_ = counts.n_frames;
  reader.n_audio_frames_ = counts.n_audio_frames;
  reader.n_active_ = counts.n_active;
  try {
    SPEECH_RETURN_IF_ERROR(reader.find_loudest(n_threads, cancelled));
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "no memory for the log-mel features of 30 s");
  }
  return reader;
}

Status LogMelReader::find_loudest(int n_threads, const Cancelled& cancelled) {
  loudest_ = n_active_ < n_frames_ ? kSilentEnergy : -std::numeric_limits<float>::infinity();
  // From the end on, so that the first frames are still held when they are asked for.
  const int n_chunks = (n_active_ + kChunkFrames - 1) / kChunkFrames;
  for (int chunk = n_chunks - 1; chunk >= 0; --chunk) {
    const int first = chunk * kChunkFrames;
    SPEECH_RETURN_IF_ERROR(hold(first, std::min(kChunkFrames, n_frames_ - first), n_threads, cancelled));
    loudest_ = std::max(loudest_, *std::ranges::max_element(held_));
  }
  return Status::ok();
}

Status LogMelReader::hold(int first, int n, int n_threads, const Cancelled& cancelled) {
  if (first >= held_first_ && first + n <= held_first_ + held_frames_) {
    return Status::ok();
  }
  held_frames_ = 0;
  const int begin = first / kFftLanes * kFftLanes;
  const int frames = first + n - begin;
  const auto row_length = static_cast<std::size_t>(frames);
  held_.assign(static_cast<std::size_t>(filters_.n_mels) * row_length, kSilentEnergy);
  const int end = std::min(first + n, n_active_);
  if (begin < end) {
    const auto n_samples = static_cast<std::int64_t>(samples_.size());
    const auto [from, to] = samples_of_frames(begin, end, n_samples);
    SPEECH_ASSIGN_OR_RETURN(const std::span<const float> pcm,
                            samples_.read(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from), room_));
    SPEECH_RETURN_IF_ERROR(check_finite(pcm, static_cast<std::size_t>(from)));
    const std::vector<MelBand> bands = bands_of(filters_);
    if (!mel_energies({pcm, from, n_samples}, bands, begin, end, n_threads, cancelled, held_.data(), row_length)) {
      return {Code::kCancelled, "log-mel features: cancelled by the caller"};
    }
  }
  held_first_ = begin;
  held_frames_ = frames;
  return Status::ok();
}

Status LogMelReader::read(int first, int n, int n_threads, const Cancelled& cancelled, std::vector<float>& values) {
  SPEECH_RETURN_IF_ERROR(hold(first, n, n_threads, cancelled));
  const auto length = static_cast<std::size_t>(n);
  values.resize(static_cast<std::size_t>(filters_.n_mels) * length);
  for (int m = 0; m < filters_.n_mels; ++m) {
    const float* row = held_.data() + static_cast<std::size_t>(m) * static_cast<std::size_t>(held_frames_) +
                       static_cast<std::size_t>(first - held_first_);
    std::copy_n(row, length, values.data() + static_cast<std::size_t>(m) * length);
  }
  normalise_energies(loudest_, values);
  return Status::ok();
}

}  // namespace speech
