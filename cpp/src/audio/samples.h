// The samples of a recording, wherever they lie: in memory, or in a file that is read as they are needed. Knows neither
// formats nor what is done with them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"

namespace speech {

/// Where samples come from that are not in memory: 16 kHz mono, finite. Any number of threads may read.
class SampleSource {
 public:
  SampleSource() = default;
  SampleSource(const SampleSource&) = delete;
  SampleSource& operator=(const SampleSource&) = delete;
  virtual ~SampleSource() = default;

  virtual std::size_t size() const = 0;

  /// Fills `out` with the samples from `begin` on; begin + out.size() <= size(). The same samples each time, however
  /// they are asked for. Fails as the source does: io, bad_format.
  virtual Status read(std::size_t begin, std::span<float> out) const = 0;
};

/// A stretch of a recording, 16 kHz mono. Copies are cheap and share what they own; a span must outlive them.
class Samples {
 public:
  Samples() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Samples(std::span<const float> memory) : memory_(memory), size_(memory.size()) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Samples(const std::vector<float>& memory) : Samples(std::span<const float>(memory)) {}
  /// Keeps the memory.
  explicit Samples(std::shared_ptr<const std::vector<float>> memory) : Samples(*memory) { owned_ = std::move(memory); }
  explicit Samples(std::shared_ptr<const SampleSource> source) : source_(std::move(source)), size_(source_->size()) {}

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool is_in_memory() const { return source_ == nullptr; }

  /// Of samples in memory.
  std::span<const float> memory() const { return memory_; }

  /// begin + n <= size().
  Samples subspan(std::size_t begin, std::size_t n) const;

  /// Samples begin .. begin + n, begin + n <= size(): where they lie, if in memory, else read into `room`.
  Result<std::span<const float>> read(std::size_t begin, std::size_t n, std::vector<float>& room) const;

 private:
  std::span<const float> memory_;
  std::shared_ptr<const std::vector<float>> owned_;
  std::shared_ptr<const SampleSource> source_;
  std::size_t begin_ = 0;  // in the source
  std::size_t size_ = 0;
};

}  // namespace speech
