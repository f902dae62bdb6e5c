// A list of the threads inside, under a lock.
#include "base/call_gate.h"

#include <algorithm>

namespace speech {

bool CallGate::enter() {
  const std::lock_guard lock(mutex_);
  if (is_closed_ || (n_most_ != 0 && inside_.size() >= n_most_)) {
    return false;
  }
  inside_.push_back(this_thread_id());
  return true;
}

void CallGate::join() {
  const std::lock_guard lock(mutex_);
  inside_.push_back(this_thread_id());
}

void CallGate::leave() {
  const std::lock_guard lock(mutex_);
  inside_.erase(std::ranges::find(inside_, this_thread_id()));
  left_.notify_all();
}

bool CallGate::close() {
  std::unique_lock lock(mutex_);
  if (std::ranges::find(inside_, this_thread_id()) != inside_.end()) {
    return false;
  }
  is_closed_ = true;
  left_.wait(lock, [this] { return inside_.empty(); });
  return true;
}

}  // namespace speech
