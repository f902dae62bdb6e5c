// One runtime's thread of JavaScript on a host: tasks from any thread, timers, and React Native's CallInvoker on them.
#pragma once

#include <ReactCommon/CallInvoker.h>
#include <jsi/jsi.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace speech::js::host {

using Task = std::function<void(facebook::jsi::Runtime&)>;

class EventLoop {
 public:
  /// Any thread.
  void post(Task task);

  /// The loop's thread only. Timers of the same moment run in the order in which they were made.
  void after(std::chrono::milliseconds delay, Task task);

  /// Runs tasks until stop() is called, or none came for as long as the limit; false for the limit.
  bool run(facebook::jsi::Runtime& rt, std::chrono::milliseconds limit);
  void stop() { stopped_ = true; }

  /// Drops what waits; timers hold values of the runtime, so this comes before its end.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::multimap<Clock::time_point, Task> timers_;
  bool stopped_ = false;
};

/// Calls of a runtime that has ended go nowhere.
class LoopInvoker : public facebook::react::CallInvoker {
 public:
  explicit LoopInvoker(const std::shared_ptr<EventLoop>& loop) : loop_(loop) {}

  void invokeAsync(facebook::react::CallFunc&& func) noexcept override {
    if (const auto loop = loop_.lock()) loop->post(std::move(func));
  }
  void invokeSync(facebook::react::CallFunc&&) override { throw std::logic_error("nothing here calls synchronously"); }

 private:
  std::weak_ptr<EventLoop> loop_;
};

}  // namespace speech::js::host
