// Who may be inside a gate, and that closing it waits.
#include "base/call_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace speech::testing {
namespace {

TEST(CallGate, LetsInAsManyAsItMay) {
  const auto gate = std::make_shared<CallGate>(1);
  {
    const GateEntry first(gate);
    EXPECT_TRUE(first.is_inside());
    const GateEntry second(gate);
    EXPECT_FALSE(second.is_inside());
  }
  EXPECT_TRUE(GateEntry(gate).is_inside()) << "who was let in has left, who was not has not";
}

TEST(CallGate, OfZeroHasNoLimit) {
  const auto gate = std::make_shared<CallGate>(0);
  const GateEntry first(gate);
  EXPECT_TRUE(GateEntry(gate).is_inside());
}

TEST(CallGate, ClosesWhenTheLastCallHasLeft) {
  const auto gate = std::make_shared<CallGate>(1);
  std::atomic<bool> entered = false;
  std::atomic<bool> left = false;
  std::thread call([&] {
    const GateEntry entry(gate);
    entered = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    left = true;
  });
  while (!entered) {
    std::this_thread::yield();
  }
  EXPECT_TRUE(gate->close());
  EXPECT_TRUE(left);
  call.join();
  EXPECT_FALSE(GateEntry(gate).is_inside()) << "closed for good";
}

TEST(CallGate, DoesNotCloseUnderItsOwnCaller) {
  const auto gate = std::make_shared<CallGate>(1);
  {
    const GateEntry entry(gate);
    EXPECT_FALSE(gate->close());
  }
  EXPECT_TRUE(GateEntry(gate).is_inside()) << "it has stayed open";
}

}  // namespace
}  // namespace speech::testing
