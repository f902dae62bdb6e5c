// Window, power spectrum, filters and logarithm, frame group by frame group.
#include "audio/mel_energies.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>
#include <string>
#include <system_error>

#include "audio/fft.h"
#include "base/threads.h"

namespace speech {
namespace {

static_assert(kFftSize == kFftLength && kFftBins == kSpectrumBins);

constexpr int kReflected = kFftSize / 2;  // samples in front, so that frame 0 is centred on sample 0
constexpr double kEnergyFloor = 1e-10;
constexpr float kDynamicRange = 8.0F;
constexpr int kMaxThreads = 64;
constexpr int kMaxMels = 1024;  // models have 80 or 128; the bound keeps n_mels * n_frames far from overflow
// Frames that a thread takes at once: long enough to make the shared counter cheap, short enough (1 ms) to cancel soon.
constexpr int kTaskFrames = 64;
static_assert(kTaskFrames % kFftLanes == 0, "a frame's lane must not depend on who computes it");

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

/// Computes log10 energies of frames, a few at a time. One per thread.
class FrameComputer {
 public:
  FrameComputer(const PcmStretch& stretch, std::span<const MelBand> bands, int first, float* out,
                std::size_t row_length)
      : stretch_(stretch), bands_(bands), first_(first), out_(out), row_length_(row_length) {}

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
      float* out = out_ + m * row_length_ + static_cast<std::size_t>(first_frame - first_);
      for (int lane = 0; lane < n_lanes; ++lane) {
        out[lane] = static_cast<float>(std::log10(std::max(energy.lane[lane], kEnergyFloor)));
      }
    }
  }

  void load_frame(int frame, int lane) {
    const std::array<double, kFftSize>& window = hann_window();
    const std::int64_t n_samples = stretch_.n_samples;
    const std::int64_t start = static_cast<std::int64_t>(frame) * kHopLength - kReflected;
    if (start >= 0 && start + kFftSize <= n_samples) {
      const float* samples = stretch_.pcm.data() + (start - stretch_.begin);
      for (int i = 0; i < kFftSize; ++i) {
        frames_[i].lane[lane] = window[i] * static_cast<double>(samples[i]);
      }
      return;
    }
    for (int i = 0; i < kFftSize; ++i) {
      const std::int64_t at = std::abs(start + i);  // reflection in front; only frames 0 and 1 reach there
      frames_[i].lane[lane] =
          at < n_samples ? window[i] * static_cast<double>(stretch_.pcm[static_cast<std::size_t>(at - stretch_.begin)])
                         : 0.0;
    }
  }

  PcmStretch stretch_;
  std::span<const MelBand> bands_;
  int first_;
  float* out_;
  std::size_t row_length_;
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
    for (Thread& thread : threads_) {
      thread.join();
    }
    threads_.clear();
  }

 private:
  std::atomic<bool>& stop_;
  std::vector<Thread> threads_;
};

}  // namespace

FrameCounts frame_counts(std::int64_t n_samples) {
  FrameCounts counts;
  counts.n_frames = static_cast<int>((n_samples + kChunkSamples) / kHopLength);
  counts.n_audio_frames =
      static_cast<int>(std::max<std::int64_t>(0, 1 + (n_samples + kReflected - kFftSize) / kHopLength));
  counts.n_active =
      static_cast<int>(std::min<std::int64_t>(counts.n_frames, (n_samples + kReflected + kHopLength - 1) / kHopLength));
  return counts;
}

std::array<std::int64_t, 2> samples_of_frames(int first, int end, std::int64_t n_samples) {
  const std::int64_t from = static_cast<std::int64_t>(first) * kHopLength - kReflected;
  const std::int64_t to = static_cast<std::int64_t>(end - 1) * kHopLength - kReflected + kFftSize;
  // What is reflected in front lies right behind: up to sample 200.
  const std::int64_t least = from < 0 ? kReflected + 1 : 0;
  return {std::clamp<std::int64_t>(from, 0, n_samples), std::min(n_samples, std::max(to, least))};
}

std::vector<MelBand> bands_of(const MelFilters& filters) {
  std::vector<MelBand> bands(static_cast<std::size_t>(filters.n_mels));
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

bool mel_energies(const PcmStretch& stretch, std::span<const MelBand> bands, int first, int end, int n_threads,
                  const std::function<bool()>& cancelled, float* out, std::size_t row_length) {
  std::atomic<int> next_frame{first};
  std::atomic<bool> stop{false};
  const auto work = [&](const std::function<bool()>& asked) {
    FrameComputer computer(stretch, bands, first, out, row_length);
    while (!stop.load(std::memory_order_relaxed)) {
      if (asked && asked()) {
        return false;
      }
      const int begin = next_frame.fetch_add(kTaskFrames, std::memory_order_relaxed);
      if (begin >= end) {
        return true;
      }
      computer.compute(begin, std::min(begin + kTaskFrames, end));
    }
    return false;
  };
  Workers workers(stop);
  const int n_tasks = (end - first + kTaskFrames - 1) / kTaskFrames;
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

void normalise_energies(float loudest, std::span<float> values) {
  const float lowest = loudest - kDynamicRange;
  std::transform(values.begin(), values.end(), values.begin(),
                 [lowest](float value) { return (std::max(value, lowest) + 4.0F) / 4.0F; });
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

Status check_mel_threads(int n_threads) {
  return n_threads >= 1 && n_threads <= kMaxThreads
             ? Status::ok()
             : Status(Code::kInvalidArgument, "n_threads is " + std::to_string(n_threads) + "; expected 1..64");
}

}  // namespace speech
