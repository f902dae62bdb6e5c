// The clock of the benchmarks. Knows nothing of what is measured.
#pragma once

#include <chrono>
#include <ctime>

namespace speech::bench {

/// Seconds of work since some moment: processor time on one thread, which other programs disturb least, else time that
/// passed.
inline double now_seconds(bool on_one_thread) {
  if (on_one_thread) {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace speech::bench
