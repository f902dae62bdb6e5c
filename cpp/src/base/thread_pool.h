// Worker threads that share out the numbered tasks of one job at a time. Knows nothing of what a task does.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/threads.h"

namespace speech {

/// Owned by one back-end and used by one thread at a time (the caller), who works too. Threads are made when a job
/// first needs them, and joined by the destructor. Who waits spins for some microseconds, then sleeps.
class ThreadPool {
 public:
  static constexpr int kMaxThreads = kHasThreads ? 64 : 1;

  explicit ThreadPool(int n_threads = 1) { set_n_threads(n_threads); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Threads that later jobs may use, the caller among them; clamped to 1..kMaxThreads. Threads once made are kept.
  void set_n_threads(int n_threads);
  int n_threads() const { return n_threads_; }

  /// Calls fn(task_index, thread_index) for every task in [0, n_tasks), each once, in any order, and returns when all
  /// are done. thread_index is in [0, n_threads()), 0 is the caller; no two calls of one index run at a time. fn must
  /// not throw and must not run a job itself. Threads that cannot be made are done without.
  template <typename Fn>
  void run(int n_tasks, Fn&& fn) {
    using Callee = std::remove_reference_t<Fn>;
    run_job(
        n_tasks, [](void* callee, int task, int thread) { (*static_cast<Callee*>(callee))(task, thread); },
        const_cast<void*>(static_cast<const void*>(&fn)));
  }

 private:
  using Task = void (*)(void* callee, int task, int thread);

  void run_job(int n_tasks, Task task, void* callee);
  void start_workers(int n_workers);
  void work(int thread_index);
  void do_tasks(std::uint32_t job, int thread_index);
  void wait_for_job(std::uint32_t last_job);

  int n_threads_ = 1;
  std::vector<Thread> workers_;

  // The job. A worker may read these while the caller writes those of the next one: it uses them only if it then claims
  // a task of the job that it knows, which it cannot any more, as the caller writes when none of that job's are left.
  std::atomic<Task> task_ = nullptr;
  std::atomic<void*> callee_ = nullptr;
  std::atomic<int> n_tasks_ = 0;
  std::atomic<int> n_active_ = 1;
  /// Job number in the upper half, tasks that nobody has claimed in the lower: one compare-and-swap claims a task of
  /// exactly one job. It counts down, so that it alone says when a job has none left: with a number of the next task,
  /// which is compared with n_tasks_, a worker of the last job could take the next one's count for its own.
  std::atomic<std::uint64_t> unclaimed_ = 0;
  std::atomic<int> n_done_ = 0;

  Mutex mutex_;
  ConditionVariable job_came_;
  ConditionVariable job_done_;
  std::atomic<int> n_sleeping_ = 0;
  std::atomic<bool> caller_sleeps_ = false;
  std::atomic<bool> stop_ = false;
};

}  // namespace speech
