// Turns features over, takes the time of the first window, and gives up at a failure.
#include "encoders/shared_encoder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"

namespace speech {
namespace {

using Clock = std::chrono::steady_clock;

std::string in_ms(Clock::duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

std::string_view file_name(std::string_view path) {
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

}  // namespace

SharedEncoder::SharedEncoder(std::string_view kind, std::unique_ptr<ExternalEncoder> encoder, std::string path)
    : kind_(kind), encoder_(std::move(encoder)), path_(std::move(path)) {
  const EncoderFacts& facts = encoder_->facts();
  tell(std::string(kind_) + ": " + std::string(file_name(path_)) + ", " + facts.loading +
       (facts.fingerprint.empty() ? ", does not say of which model it is" : ""));
}

bool SharedEncoder::takes(int n_frames) {
  const std::lock_guard lock(mutex_);
  if (!encoder_ || encoder_->takes(n_frames)) {
    return encoder_ != nullptr;
  }
  if (!std::exchange(has_told_length_, true)) {
    log(LogLevel::kWarn, "%s takes no windows of %d frames; the own encoder computes them", path_.c_str(), n_frames);
  }
  return false;
}

bool SharedEncoder::encode(std::span<const float> mel, int n_mels, int n_frames, std::span<float> out) {
  const std::lock_guard lock(mutex_);
  if (!encoder_ || !encoder_->takes(n_frames)) {
    return false;
  }
  const auto n_columns = static_cast<std::size_t>(2 * n_frames);
  const auto n_rows = static_cast<std::size_t>(n_mels);
  bins_first_.resize(n_rows * n_columns);
  for (std::size_t row = 0; row < n_rows; ++row) {
    for (std::size_t column = 0; column < n_columns; ++column) {
      bins_first_[row * n_columns + column] = mel[column * n_rows + row];
    }
  }
  const auto start = Clock::now();
  if (const Status status = encoder_->encode(bins_first_, n_frames, out); !status) {
    log(LogLevel::kWarn, "%s failed, the own encoder computes from now on: %s", path_.c_str(),
        status.message().c_str());
    tell("own: " + std::string(file_name(path_)) + " failed: " + status.message());
    kind_ = "own";
    encoder_.reset();
    return false;
  }
  if (!std::exchange(has_run_, true)) {
    tell(*reasons_.back() + ", first window in " + in_ms(Clock::now() - start));
  }
  return true;
}

std::string_view SharedEncoder::name() const {
  const std::lock_guard lock(mutex_);
  return kind_;
}

const char* SharedEncoder::reason() const {
  const std::lock_guard lock(mutex_);
  return reasons_.back()->c_str();
}

// On one line, whatever a compiler has said. The object is not shared yet, or the caller holds the lock.
void SharedEncoder::tell(std::string reason) {
  std::ranges::replace(reason, '\n', ' ');
  reasons_.push_back(std::make_unique<const std::string>(std::move(reason)));
}

}  // namespace speech
