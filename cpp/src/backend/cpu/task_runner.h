// Runs the tiles of one CPU operation on the threads of a back-end, each with scratch memory of its own, and asks the
// abort callback between them. Knows no operation.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "backend/backend.h"
#include "base/thread_pool.h"

namespace speech {

/// Frees what aligned_floats() gave.
struct AlignedDelete {
  void operator()(float* p) const;
};
using AlignedFloats = std::unique_ptr<float[], AlignedDelete>;

/// n zeros at a 64-byte boundary; empty if there is no memory.
AlignedFloats aligned_floats(std::size_t n);

class TaskRunner {
 public:
  /// `scratch_floats` values for each thread, allocated here and in set_n_threads(), never in run().
  explicit TaskRunner(std::size_t scratch_floats);

  /// Clamped to what the pool and the memory allow.
  void set_n_threads(int n_threads);
  int n_threads() const { return pool_.n_threads(); }

  void set_abort_callback(Stream::AbortCallback callback, void* user_data);
  bool should_abort() const { return abort_callback_ != nullptr && abort_callback_(abort_user_data_); }

  /// Calls fn(task, scratch) for every task in [0, n_tasks). False if the abort callback, asked by the calling thread
  /// before each task that it takes if `abortable`, stopped it: then tasks are left out.
  template <typename Fn>
  bool run(int n_tasks, bool abortable, Fn&& fn) {
    std::atomic<bool> stopped = false;
    pool_.run(n_tasks, [&](int task, int thread) {
      if (stopped.load(std::memory_order_relaxed)) {
        return;
      }
      if (abortable && thread == 0 && should_abort()) {
        stopped.store(true, std::memory_order_relaxed);
        return;
      }
      fn(task, scratch_[static_cast<std::size_t>(thread)].get());
    });
    return !stopped.load(std::memory_order_relaxed);
  }

 private:
  std::size_t scratch_floats_;
  std::vector<AlignedFloats> scratch_;
  ThreadPool pool_;
  Stream::AbortCallback abort_callback_ = nullptr;
  void* abort_user_data_ = nullptr;
};

}  // namespace speech
