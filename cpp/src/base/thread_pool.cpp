// Worker threads that share out the numbered tasks of one job at a time; see thread_pool.h.

#include "base/thread_pool.h"

#include <algorithm>
#include <exception>

#include "base/log.h"

namespace speech {
namespace {

// Some 20 to 60 microseconds: longer than the gap between two operations of a decoding step, far shorter than a time
// slice, so that threads that share a core with others soon give it up.
constexpr int kSpins = 2000;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#endif
}

constexpr std::uint32_t job_of(std::uint64_t unclaimed) { return static_cast<std::uint32_t>(unclaimed >> 32U); }
constexpr std::uint32_t tasks_of(std::uint64_t unclaimed) { return static_cast<std::uint32_t>(unclaimed); }

}  // namespace

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  job_came_.notify_all();
  for (Thread& worker : workers_) {
    worker.join();
  }
}

void ThreadPool::set_n_threads(int n_threads) { n_threads_ = std::clamp(n_threads, 1, kMaxThreads); }

void ThreadPool::start_workers(int n_workers) {
  try {
    workers_.reserve(static_cast<std::size_t>(n_workers));
    while (static_cast<int>(workers_.size()) < n_workers) {
      const int thread_index = static_cast<int>(workers_.size()) + 1;
      workers_.emplace_back([this, thread_index] { work(thread_index); });
    }
  } catch (const std::exception& error) {
    log(LogLevel::kWarn, "could start only %d of %d threads (%s); going on with those",
        static_cast<int>(workers_.size()) + 1, n_workers + 1, error.what());
    n_threads_ = static_cast<int>(workers_.size()) + 1;
  }
}

void ThreadPool::run_job(int n_tasks, Task task, void* callee) {
  const int n_wanted = std::min(n_threads_, n_tasks);
  if (n_wanted > static_cast<int>(workers_.size()) + 1) {
    start_workers(n_threads_ - 1);
  }
  const int n_active = std::min(n_wanted, static_cast<int>(workers_.size()) + 1);
  if (n_active <= 1) {
    for (int i = 0; i < n_tasks; ++i) {
      task(callee, i, 0);
    }
    return;
  }

  task_.store(task, std::memory_order_relaxed);
  callee_.store(callee, std::memory_order_relaxed);
  n_tasks_.store(n_tasks, std::memory_order_relaxed);
  n_active_.store(n_active, std::memory_order_relaxed);
  n_done_.store(0, std::memory_order_relaxed);
  const std::uint32_t job = job_of(unclaimed_.load(std::memory_order_relaxed)) + 1;
  unclaimed_.store(static_cast<std::uint64_t>(job) << 32U | static_cast<std::uint32_t>(n_tasks),
                   std::memory_order_seq_cst);
  if (n_sleeping_.load(std::memory_order_seq_cst) > 0) {
    // The empty critical section orders this after a worker's last look at unclaimed_ and before its sleep.
    {
      const std::lock_guard lock(mutex_);
    }
    job_came_.notify_all();
  }

  do_tasks(job, 0);

  for (int spin = 0; spin < kSpins; ++spin) {
    if (n_done_.load(std::memory_order_acquire) == n_tasks) {
      return;
    }
    relax();
  }
  std::unique_lock lock(mutex_);
  caller_sleeps_.store(true, std::memory_order_seq_cst);
  job_done_.wait(lock, [&] { return n_done_.load(std::memory_order_seq_cst) == n_tasks; });
  caller_sleeps_.store(false, std::memory_order_relaxed);
}

void ThreadPool::do_tasks(std::uint32_t job, int thread_index) {
  std::uint64_t unclaimed = unclaimed_.load(std::memory_order_acquire);
  while (job_of(unclaimed) == job && tasks_of(unclaimed) > 0) {
    const Task task = task_.load(std::memory_order_relaxed);
    void* const callee = callee_.load(std::memory_order_relaxed);
    const int n_tasks = n_tasks_.load(std::memory_order_relaxed);
    if (thread_index >= n_active_.load(std::memory_order_relaxed)) {
      return;
    }
    if (!unclaimed_.compare_exchange_weak(unclaimed, unclaimed - 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
      continue;
    }
    task(callee, n_tasks - static_cast<int>(tasks_of(unclaimed)), thread_index);
    const bool last = n_done_.fetch_add(1, std::memory_order_seq_cst) + 1 == n_tasks;
    if (last && thread_index != 0 && caller_sleeps_.load(std::memory_order_seq_cst)) {
      {
        const std::lock_guard lock(mutex_);
      }
      job_done_.notify_one();
    }
    unclaimed = unclaimed_.load(std::memory_order_acquire);
  }
}

void ThreadPool::wait_for_job(std::uint32_t last_job) {
  const auto something_came = [&] {
    return stop_.load(std::memory_order_relaxed) || job_of(unclaimed_.load(std::memory_order_seq_cst)) != last_job;
  };
  for (int spin = 0; spin < kSpins; ++spin) {
    if (something_came()) {
      return;
    }
    relax();
  }
  std::unique_lock lock(mutex_);
  n_sleeping_.fetch_add(1, std::memory_order_seq_cst);
  job_came_.wait(lock, something_came);
  n_sleeping_.fetch_sub(1, std::memory_order_relaxed);
}

void ThreadPool::work(int thread_index) {
  std::uint32_t job = 0;  // a worker made for job n finds it at once
  while (!stop_.load(std::memory_order_relaxed)) {
    do_tasks(job, thread_index);
    wait_for_job(job);
    job = job_of(unclaimed_.load(std::memory_order_acquire));
  }
}

}  // namespace speech
