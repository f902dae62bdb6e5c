// Window, power spectrum, filters and logarithm, frame group by frame group; then the clamp, which needs them all.
#include "audio/log_mel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <new>
#include <numbers>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "audio/fft.h"

namespace speech {
namespace {

static_assert(kFftSize == kFftLength && kFftBins == kSpectrumBins);

constexpr int kReflected = kFftSize / 2;  // samples in front, so that frame 0 is centred on sample 0
constexpr double kEnergyFloor = 1e-10;
constexpr float kSilence = -10.0F;  // log10 of the floor
constexpr float kDynamicRange = 8.0F;
constexpr int kMaxThreads = 64;
constexpr int kMaxMels = 1024;  // models have 80 or 128; the bound keeps n_mels * n_frames far from overflow
// Frames that a thread takes at once: long enough to make the shared counter cheap, short enough (1 ms) to cancel soon.
constexpr int kTaskFrames = 64;
static_assert(kTaskFrames % kFftLanes == 0, "a frame's lane must not depend on who computes it");

/// A filter without the zeros around it.
struct Band {
  int first_bin = 0;
  std::span<const float> weights;
};

/// Periodic Hann window.
const std::array<double, kFftSize>& hann_window() {
  static const std::array<double, kFftSize> kWindow = [] {
    std::array<double, kFftSize> values{};
    for (int i = 0; i < kFftSize; ++i) {
      values[i] = 0.5 * (1.0 - std::cos(2.0 * std::numbers::pi * i / kFftSize));
    }
    return values;
  }();
  return kWindow;
}

Status check_filters(const MelFilters& filters) {
  if (filters.n_mels < 1 || filters.n_mels > kMaxMels) {
    return {Code::kInvalidArgument,
            "n_mels is " + std::to_string(filters.n_mels) + "; expected 1.." + std::to_string(kMaxMels)};
  }
  const std::size_t expected = static_cast<std::size_t>(filters.n_mels) * kFftBins;
  if (filters.weights.size() != expected) {
    return {Code::kInvalidArgument, "the mel filters have " + std::to_string(filters.weights.size()) +
                                        " weights; expected n_mels * 201 = " + std::to_string(expected)};
  }
  for (std::size_t i = 0; i < expected; ++i) {
    if (!std::isfinite(filters.weights[i])) {
      return {Code::kInvalidArgument,
              "mel filter " + std::to_string(i / kFftBins) + " is not finite at bin " + std::to_string(i % kFftBins)};
    }
  }
  return Status::ok();
}

std::vector<Band> bands_of(const MelFilters& filters) {
  std::vector<Band> bands(static_cast<std::size_t>(filters.n_mels));
  for (std::size_t m = 0; m < bands.size(); ++m) {
    const std::span<const float> row = std::span(filters.weights).subspan(m * kFftBins, kFftBins);
    const auto is_used = [](float weight) { return weight != 0.0F; };
    const auto first = std::find_if(row.begin(), row.end(), is_used);
    const auto last = std::find_if(row.rbegin(), row.rend(), is_used).base();
    if (first != row.end()) {
      bands[m] = {static_cast<int>(first - row.begin()), std::span(first, last)};
    }
  }
  return bands;
}

/// Computes log10 energies of frames, a few at a time. One per thread.
class FrameComputer {
 public:
  FrameComputer(std::span<const float> pcm, std::span<const Band> bands, LogMel& mel)
      : pcm_(pcm), bands_(bands), mel_(mel) {}

  /// Frames begin..end-1; begin is a multiple of kFftLanes.
  void compute(int begin, int end) {
    for (int frame = begin; frame < end; frame += kFftLanes) {
      compute_lanes(frame, std::min(kFftLanes, end - frame));
    }
  }

 private:
  void compute_lanes(int first_frame, int n_lanes) {
    for (int lane = 0; lane < kFftLanes; ++lane) {
      if (lane < n_lanes) {
        load_frame(first_frame + lane, lane);
      } else {
        for (FftLanes& sample : frames_) {
          sample.lane[lane] = 0.0;
        }
      }
    }
    RealFft400::instance().power(frames_, scratch_, power_);
    for (std::size_t m = 0; m < bands_.size(); ++m) {
      FftLanes energy{};
      const FftLanes* power = power_.data() + bands_[m].first_bin;
      for (const float weight : bands_[m].weights) {
        for (int lane = 0; lane < kFftLanes; ++lane) {
          energy.lane[lane] += static_cast<double>(weight) * power->lane[lane];
        }
        ++power;
      }
      float* out = mel_.values.data() + m * static_cast<std::size_t>(mel_.n_frames) + first_frame;
      for (int lane = 0; lane < n_lanes; ++lane) {
        out[lane] = static_cast<float>(std::log10(std::max(energy.lane[lane], kEnergyFloor)));
      }
    }
  }

  void load_frame(int frame, int lane) {
    const std::array<double, kFftSize>& window = hann_window();
    const auto n_samples = static_cast<std::int64_t>(pcm_.size());
    const std::int64_t start = static_cast<std::int64_t>(frame) * kHopLength - kReflected;
    if (start >= 0 && start + kFftSize <= n_samples) {
      const float* samples = pcm_.data() + start;
      for (int i = 0; i < kFftSize; ++i) {
        frames_[i].lane[lane] = window[i] * static_cast<double>(samples[i]);
      }
      return;
    }
    for (int i = 0; i < kFftSize; ++i) {
      const std::int64_t at = std::abs(start + i);  // reflection in front; only frames 0 and 1 reach there
      frames_[i].lane[lane] = at < n_samples ? window[i] * static_cast<double>(pcm_[at]) : 0.0;
    }
  }

  std::span<const float> pcm_;
  std::span<const Band> bands_;
  LogMel& mel_;
  std::array<FftLanes, kFftLength> frames_;
  std::array<FftLanes, kSpectrumBins> power_;
  RealFft400::Scratch scratch_;
};

/// Threads that are told to stop and waited for when this goes out of scope, however that happens.
class Workers {
 public:
  explicit Workers(std::atomic<bool>& stop) : stop_(stop) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    stop_.store(true, std::memory_order_relaxed);
    join();
  }

  /// False if the system has no thread to give; the work is then done by those that run.
  template <typename Work>
  bool start(const Work& work) {
    try {
      threads_.emplace_back(work);
      return true;
    } catch (const std::system_error&) {
      return false;
    }
  }

  void join() {
    for (std::thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

 private:
  std::atomic<bool>& stop_;
  std::vector<std::thread> threads_;
};

/// Log10 energies of frames 0..n_active-1. Returns false if cancelled.
bool compute_frames(std::span<const float> pcm, std::span<const Band> bands, int n_active, int n_threads,
                    const std::function<bool()>& cancelled, LogMel& mel) {
  std::atomic<int> next_frame{0};
  std::atomic<bool> stop{false};
  const auto work = [&](const std::function<bool()>& asked) {
    FrameComputer computer(pcm, bands, mel);
    while (!stop.load(std::memory_order_relaxed)) {
      if (asked && asked()) {
        return false;
      }
      const int begin = next_frame.fetch_add(kTaskFrames, std::memory_order_relaxed);
      if (begin >= n_active) {
        return true;
      }
      computer.compute(begin, std::min(begin + kTaskFrames, n_active));
    }
    return false;
  };
  Workers workers(stop);
  const int n_tasks = (n_active + kTaskFrames - 1) / kTaskFrames;
  for (int i = 1; i < std::min(n_threads, n_tasks); ++i) {
    if (!workers.start([&work] { work({}); })) {
      break;
    }
  }
  const bool finished = work(cancelled);
  if (finished) {
    workers.join();
  }
  return finished;
}

/// Clamps to the loudest value minus 8 and scales; frames from n_active on hold silence.
void normalise(int n_active, LogMel& mel) {
  const auto row_length = static_cast<std::size_t>(mel.n_frames);
  float loudest = n_active < mel.n_frames ? kSilence : -std::numeric_limits<float>::infinity();
  for (std::size_t row = 0; row < mel.values.size(); row += row_length) {
    for (int frame = 0; frame < n_active; ++frame) {
      loudest = std::max(loudest, mel.values[row + frame]);
    }
  }
  const float lowest = loudest - kDynamicRange;
  const auto scale = [lowest](float value) { return (std::max(value, lowest) + 4.0F) / 4.0F; };
  for (std::size_t row = 0; row < mel.values.size(); row += row_length) {
    float* values = mel.values.data() + row;
    std::transform(values, values + n_active, values, scale);
    std::fill(values + n_active, values + row_length, scale(kSilence));
  }
}

Status no_memory(const LogMel& mel) {
  return {Code::kOutOfMemory,
          "no memory for " + std::to_string(mel.n_mels) + " x " + std::to_string(mel.n_frames) + " log-mel values"};
}

}  // namespace

Status check_samples(std::span<const float> pcm) {
  constexpr std::size_t kMaxSamples = std::numeric_limits<std::int32_t>::max() - kChunkSamples;
  if (pcm.empty()) {
    return {Code::kInvalidArgument, "the recording has no samples; expected at least 1"};
  }
  if (pcm.size() > kMaxSamples) {
    return {Code::kInvalidArgument, "the recording has " + std::to_string(pcm.size()) + " samples; at most " +
                                        std::to_string(kMaxSamples) + " (37 hours) are supported, so split it"};
  }
  for (std::size_t i = 0; i < pcm.size(); ++i) {
    if (!std::isfinite(pcm[i])) {
      return {Code::kInvalidArgument, "sample " + std::to_string(i) + " is " +
                                          (std::isnan(pcm[i]) ? "not a number" : "infinite") +
                                          "; expected finite values, nominally in [-1, 1]"};
    }
  }
  return Status::ok();
}

Result<LogMel> log_mel(std::span<const float> pcm, const MelFilters& filters, int n_threads,
                       const std::function<bool()>& cancelled) {
  SPEECH_RETURN_IF_ERROR(check_samples(pcm));
  SPEECH_RETURN_IF_ERROR(check_filters(filters));
  if (n_threads < 1 || n_threads > kMaxThreads) {
    return Status(Code::kInvalidArgument, "n_threads is " + std::to_string(n_threads) + "; expected 1..64");
  }
  const auto n_samples = static_cast<std::int64_t>(pcm.size());
  LogMel mel;
  mel.n_mels = filters.n_mels;
  mel.n_frames = static_cast<int>((n_samples + kChunkSamples) / kHopLength);
  mel.n_audio_frames =
      static_cast<int>(std::max<std::int64_t>(0, 1 + (n_samples + kReflected - kFftSize) / kHopLength));
  // Behind these, frames see silence only, whose value is known.
  const int n_active =
      static_cast<int>(std::min<std::int64_t>(mel.n_frames, (n_samples + kReflected + kHopLength - 1) / kHopLength));
  try {
    const std::vector<Band> bands = bands_of(filters);
    mel.values.resize(static_cast<std::size_t>(mel.n_mels) * static_cast<std::size_t>(mel.n_frames));
    if (!compute_frames(pcm, bands, n_active, n_threads, cancelled, mel)) {
      return Status(Code::kCancelled, "log-mel features: cancelled by the caller");
    }
  } catch (const std::bad_alloc&) {
    return no_memory(mel);
  } catch (const std::length_error&) {  // more than a 32-bit address space
    return no_memory(mel);
  }
  normalise(n_active, mel);
  return mel;
}

}  // namespace speech
