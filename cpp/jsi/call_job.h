// A job that a call of JavaScript asked for, and the object by which JavaScript holds it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "deferred.h"
#include "job_queue.h"
#include "js_errors.h"

namespace speech::js {

/// Runs a function that gives a Result and settles a promise with it.
template <typename Result>
class CallJob : public Job {
 public:
  /// What is done; throws Refusal. What it gives when it was cancelled before its turn. How JavaScript sees it.
  using Work = std::function<Result(const Job&, const Deferred&)>;
  using Convert = facebook::jsi::Value (*)(facebook::jsi::Runtime&, const Result&);

  CallJob(Work work, Result when_cancelled, Convert convert)
      : work_(std::move(work)), when_cancelled_(std::move(when_cancelled)), convert_(convert) {}

  /// Before it is pushed.
  void settles(Deferred deferred) { deferred_ = std::move(deferred); }

  void run() noexcept override {
    try {
      result_ = std::make_shared<const Result>(work_(*this, deferred_));
    } catch (...) {
      refusal_ = current_refusal();
    }
    // What it captured, such as a buffer of audio, is not kept for as long as JavaScript keeps the job.
    work_ = nullptr;
  }

  void settle() noexcept override {
    if (refusal_) {
      deferred_.reject(*std::move(refusal_));
      return;
    }
    try {
      resolve();
    } catch (...) {
      deferred_.reject(current_refusal());
    }
  }

  void skip(Skipped why) noexcept override {
    try {
      if (why == Skipped::kCancelled) {
        result_ = std::make_shared<const Result>(std::move(when_cancelled_));
        resolve();
      } else {
        deferred_.reject({code::kReleased, "", "the context was released before the job's turn came"});
      }
    } catch (...) {
      deferred_.reject(current_refusal());
    }
    work_ = nullptr;
  }

 private:
  void resolve() {
    deferred_.resolve(
        [shared = std::move(result_), convert = convert_](facebook::jsi::Runtime& rt) { return convert(rt, *shared); });
  }

  Work work_;
  Result when_cancelled_;
  Convert convert_;
  Deferred deferred_;
  std::shared_ptr<const Result> result_;  // of run(), until it is told
  std::optional<Refusal> refusal_;
};

/// Queues a job and gives the object {id, promise, cancel}. Throws Refusal(released) if the queue is closed.
template <typename Result>
facebook::jsi::Value queue_job(facebook::jsi::Runtime& rt, const std::shared_ptr<facebook::react::CallInvoker>& invoker,
                               const std::shared_ptr<JobQueue>& queue, int priority,
                               std::shared_ptr<CallJob<Result>> job, std::optional<facebook::jsi::Function> on_event);

/// The object of a job that waits in a queue.
facebook::jsi::Value job_object(facebook::jsi::Runtime& rt, facebook::jsi::Value promise,
                                const std::weak_ptr<JobQueue>& queue, const std::weak_ptr<Job>& job);

template <typename Result>
facebook::jsi::Value queue_job(facebook::jsi::Runtime& rt, const std::shared_ptr<facebook::react::CallInvoker>& invoker,
                               const std::shared_ptr<JobQueue>& queue, int priority,
                               std::shared_ptr<CallJob<Result>> job, std::optional<facebook::jsi::Function> on_event) {
  const Refusal too_late(code::kReleased, "", "the context was released");
  if (queue->is_closed()) throw too_late;
  const std::weak_ptr<Job> weak = job;
  DeferredMaker made(rt, invoker, std::move(on_event), [weak] {
    if (const auto held = weak.lock()) held->cancel();
  });
  job->settles(made.deferred);
  facebook::jsi::Value object = job_object(rt, std::move(made.promise), queue, weak);
  if (!queue->push(std::move(job), priority)) made.deferred.reject(too_late);
  return object;
}

}  // namespace speech::js
