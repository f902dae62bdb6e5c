// Who is inside an object's calls: lets in as many as allowed, and lets nobody free the object under them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/threads.h"

namespace speech {

/// Held by shared_ptr by the object and by every call in it, so that the last call can leave while the object is freed.
class CallGate {
 public:
  /// n_most: calls at the same time; 0 is no limit.
  explicit CallGate(std::size_t n_most) : n_most_(n_most) {}

  /// False if n_most are inside, or the gate is closed.
  bool enter();
  /// For a thread that works for a call that is inside, and may call back: always let in.
  void join();
  void leave();

  /// Waits until nobody is inside and lets nobody in again. False, and nothing is done, if the calling thread itself is
  /// inside: it would wait for ever.
  bool close();

 private:
  const std::size_t n_most_;
  Mutex mutex_;
  ConditionVariable left_;
  std::vector<ThreadId> inside_;
  bool is_closed_ = false;
};

/// Is inside a gate for its life, if it was let in.
class GateEntry {
 public:
  explicit GateEntry(std::shared_ptr<CallGate> gate) : gate_(std::move(gate)), is_inside_(gate_->enter()) {}
  GateEntry(const GateEntry&) = delete;
  GateEntry& operator=(const GateEntry&) = delete;
  ~GateEntry() {
    if (is_inside_) {
      gate_->leave();
    }
  }
  bool is_inside() const { return is_inside_; }

 private:
  std::shared_ptr<CallGate> gate_;
  bool is_inside_;
};

}  // namespace speech
