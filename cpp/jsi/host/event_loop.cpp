// Implements event_loop.h.
#include "event_loop.h"

#include <utility>

namespace speech::js::host {

void EventLoop::post(Task task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void EventLoop::after(std::chrono::milliseconds delay, Task task) {
  timers_.emplace(Clock::now() + delay, std::move(task));
}

bool EventLoop::run(facebook::jsi::Runtime& rt, std::chrono::milliseconds limit) {
  auto end = Clock::now() + limit;
  while (!stopped_) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      const auto wake = timers_.empty() ? end : std::min(end, timers_.begin()->first);
      changed_.wait_until(lock, wake, [this] { return !tasks_.empty(); });
      if (!tasks_.empty()) {
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
    }
    if (!task && !timers_.empty() && timers_.begin()->first <= Clock::now()) {
      task = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
    }
    if (task) {
      task(rt);
      rt.drainMicrotasks();
      end = Clock::now() + limit;
    } else if (Clock::now() >= end) {
      return false;
    }
  }
  return true;
}

void EventLoop::clear() {
  timers_.clear();
  std::deque<Task> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(tasks_);
}

}  // namespace speech::js::host
