// Jobs of one owner, worked on one at a time by a thread of its own, in the order of their priorities. It knows no
// JavaScript and no core: whoever opens a context gets a queue, and no call of a queue ever waits for a job.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

// An app that includes this shows none of it, however it is compiled.
#pragma GCC visibility push(hidden)

namespace speech::js {

/// Why a job did not run.
enum class Skipped { kCancelled, kReleased };

/// Work for one call.
class Job {
 public:
  Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  virtual ~Job() = default;

  /// The work; on the queue's thread, at most once.
  virtual void run() noexcept = 0;

  /// Tells what came of it; after run(), on the queue's thread, once the queue no longer counts the job: who hears of
  /// it and asks how many are left gets the right number.
  virtual void settle() noexcept {}

  /// Called instead of run() and settle(), on any thread, at most once.
  virtual void skip(Skipped why) noexcept = 0;

  /// Asks the work to stop; any thread, and it stays asked.
  void cancel() noexcept { cancelled_ = true; }
  bool is_cancelled() const noexcept { return cancelled_; }
  const std::atomic<bool>& cancelled() const noexcept { return cancelled_; }

 private:
  std::atomic<bool> cancelled_{false};
};

/// Counts the threads of all queues, so that a program may wait for them before it ends. They are detached: the threads
/// that call a queue are JavaScript's, and must never wait.
class WorkerGroup {
 public:
  /// Waits until no thread is left; false if that takes longer than limit.
  bool wait(std::chrono::milliseconds limit);

 private:
  friend class JobQueue;
  std::mutex mutex_;
  std::condition_variable changed_;
  int n_workers_ = 0;
};

/// Every function may be called from any thread. A queue that is destroyed works off what it has; its thread then ends.
class JobQueue {
 public:
  /// Starts the thread. last: called on that thread as the last thing. Throws std::system_error if there is no thread.
  JobQueue(std::shared_ptr<WorkerGroup> group, std::function<void()> last);
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  ~JobQueue();

  /// Appends a job; higher priorities come first. False, and the job is left alone, if the queue is closed.
  bool push(std::shared_ptr<Job> job, int priority);

  /// Asks this job to stop. One that waits is skipped before this returns.
  void cancel(const std::shared_ptr<Job>& job);

  /// Takes no more jobs and skips those that wait; the one that runs goes on. then: called after `last`. A second call
  /// does nothing and returns false.
  bool close(std::function<void()> then);

  bool is_closed() const;

  /// Jobs that wait or run.
  int n_jobs() const;

 private:
  struct State;
  static void work(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace speech::js

#pragma GCC visibility pop
