// What became of a GPU while contexts and states used it. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "base/threads.h"

namespace speech {

class GpuHealth {
 public:
  /// Work was lost and has been done by the CPU.
  void failed(const std::string& why) {
    const std::lock_guard lock(mutex_);
    ++n_failures_;
    why_ = why;
  }

  /// Empty as long as nothing went wrong.
  std::string remark() const {
    const std::lock_guard lock(mutex_);
    return n_failures_ == 0 ? std::string()
                            : "it failed " + std::to_string(n_failures_) + (n_failures_ == 1 ? " time" : " times") +
                                  ", and the CPU did the work: " + why_;
  }

 private:
  mutable Mutex mutex_;
  std::int64_t n_failures_ = 0;
  std::string why_;
};

}  // namespace speech
