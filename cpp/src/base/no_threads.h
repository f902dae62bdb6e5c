// What stands for threads where a program has only one: work is done at once, locks hold nobody up. Included by
// base/threads.h alone.
#pragma once

#include <cstdlib>
#include <mutex>
#include <utility>

namespace speech {

inline constexpr bool kHasThreads = false;

enum class ThreadId { kOnly };

constexpr ThreadId this_thread_id() { return ThreadId::kOnly; }
constexpr unsigned hardware_threads() { return 1; }

template <typename T>
T& of_this_thread() {
  static T value;
  return value;
}

/// Its work is done when it is made. Work that waits for what the maker does later would never end: ThreadPool, whose
/// workers do so, makes none where kHasThreads is false.
class Thread {
 public:
  template <typename Work>
  explicit Thread(Work&& work) {
    std::forward<Work>(work)();
  }
  void join() {}
};

/// For std::lock_guard and std::unique_lock, which do not need threads.
class Mutex {
 public:
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
};

/// Nobody else could make a condition true: one that is false would be waited for without end.
class ConditionVariable {
 public:
  void notify_one() {}
  void notify_all() {}

  template <typename Condition>
  void wait(std::unique_lock<Mutex>& /*lock*/, Condition&& condition) {
    if (!std::forward<Condition>(condition)()) {
      std::abort();
    }
  }

  template <typename Duration, typename Condition>
  bool wait_for(std::unique_lock<Mutex>& /*lock*/, const Duration& /*duration*/, Condition&& condition) {
    return std::forward<Condition>(condition)();
  }
};

}  // namespace speech
