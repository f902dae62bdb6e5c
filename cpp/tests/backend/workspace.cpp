// Rules of the workspace: what lives together never overlaps, what does not shares its place, every run is the same.

#include "backend/workspace.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "backend/cpu/cpu_backend.h"

namespace speech {
namespace {

struct Taken {
  std::size_t index;
  std::size_t bytes;
  int begin;
  int end;
};

std::shared_ptr<Buffer> buffer_of(std::size_t bytes) {
  auto backend = make_cpu_backend();
  auto buffer = backend.value()->allocate(bytes);
  EXPECT_TRUE(buffer.is_ok());
  return buffer.value();
}

// Takes and gives back in random order, the same for the same seed; notes what lived when.
std::vector<Taken> random_phase(Workspace& workspace, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::optional<Temporary>> alive;
  std::vector<Taken> taken;
  for (int step = 0; step < 200; ++step) {
    const bool take = generator() % 2 == 0;
    if (take) {
      const std::int64_t n = 1 + static_cast<std::int64_t>(generator() % 5000);
      alive.emplace_back(workspace.take(DType::kF32, {n}));
      taken.push_back({taken.size(), static_cast<std::size_t>(n) * 4, step, 1000});
    } else if (!alive.empty()) {
      const std::size_t which = generator() % alive.size();
      if (alive[which]) {
        alive[which].reset();
        taken[which].end = step;
      }
    }
  }
  return taken;
}

TEST(Workspace, TemporariesThatLiveTogetherNeverOverlap) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Workspace measuring;
    const std::vector<Taken> taken = random_phase(measuring, seed);
    const MemoryPlan plan = measuring.plan();
    ASSERT_EQ(plan.slots.size(), taken.size());
    std::size_t sum = 0;
    for (const Taken& a : taken) {
      const MemoryPlan::Slot& slot = plan.slots[a.index];
      sum += slot.bytes;
      ASSERT_EQ(slot.offset_bytes % 64, 0U);
      ASSERT_GE(slot.bytes, a.bytes);
      ASSERT_LE(slot.offset_bytes + slot.bytes, plan.total_bytes);
      for (const Taken& b : taken) {
        if (a.index < b.index && a.begin < b.end && b.begin < a.end) {
          const MemoryPlan::Slot& other = plan.slots[b.index];
          ASSERT_TRUE(slot.offset_bytes + slot.bytes <= other.offset_bytes ||
                      other.offset_bytes + other.bytes <= slot.offset_bytes)
              << "seed " << seed << ": " << a.index << " and " << b.index;
        }
      }
    }
    EXPECT_LT(plan.total_bytes, sum) << "nothing was reused";
  }
}

TEST(Workspace, TheSamePhaseGivesTheSamePlan) {
  Workspace first;
  Workspace second;
  random_phase(first, 7);
  random_phase(second, 7);
  const MemoryPlan a = first.plan();
  const MemoryPlan b = second.plan();
  ASSERT_EQ(a.total_bytes, b.total_bytes);
  for (std::size_t i = 0; i < a.slots.size(); ++i) {
    EXPECT_EQ(a.slots[i].offset_bytes, b.slots[i].offset_bytes);
  }
}

// outer lives throughout; first and second follow each other; inner lives within second.
template <typename Use>
void nested_phase(Workspace& workspace, Use use) {
  const Temporary outer = workspace.take(DType::kF32, {100});
  use(outer);
  {
    const Temporary first = workspace.take(DType::kF16, {1000});
    use(first);
  }
  const Temporary second = workspace.take(DType::kI32, {10, 50});
  use(second);
  {
    const Temporary inner = workspace.take(DType::kQ8_0, {2, 64});
    use(inner);
  }
}

TEST(Workspace, NestedScopesReuseWhatEndedAndKeepWhatLives) {
  Workspace measuring;
  nested_phase(measuring, [](const Temporary& temporary) { EXPECT_FALSE(temporary.tensor()); });
  const MemoryPlan plan = measuring.plan();
  // outer 400 -> 448; first and second share 2048 (2000 rounded up); inner 136 -> 192.
  EXPECT_EQ(plan.total_bytes, 448U + 2048U + 192U);
  EXPECT_EQ(plan.slots[1].offset_bytes, plan.slots[2].offset_bytes);

  const std::shared_ptr<Buffer> buffer = buffer_of(plan.total_bytes);
  Workspace placed(plan, buffer);
  EXPECT_EQ(placed.bytes(), plan.total_bytes);
  for (int run = 0; run < 3; ++run) {
    placed.restart();
    std::size_t i = 0;
    nested_phase(placed, [&](const Temporary& temporary) {
      EXPECT_EQ(temporary->buffer, buffer.get());
      EXPECT_EQ(temporary->offset_bytes, plan.slots[i++].offset_bytes) << "run " << run;
    });
    EXPECT_EQ(i, 4U);
  }
}

TEST(Workspace, ARunMayTakeSmallerTemporariesThanMeasured) {
  Workspace measuring;
  {
    const Temporary t = measuring.take(DType::kF32, {100});
  }
  const MemoryPlan plan = measuring.plan();
  Workspace placed(plan, buffer_of(plan.total_bytes));
  const Temporary t = placed.take(DType::kF32, {1});
  EXPECT_EQ(t->shape, Shape({1}));
}

TEST(Workspace, AMovedTemporaryGivesBackOnce) {
  Workspace measuring;
  {
    Temporary a = measuring.take(DType::kF32, {16});
    const Temporary b = std::move(a);
    const Temporary c = measuring.take(DType::kF32, {16});
  }
  const MemoryPlan plan = measuring.plan();
  EXPECT_EQ(plan.total_bytes, 128U);
}

TEST(Workspace, AnEmptyPhaseNeedsNoMemory) {
  const Workspace measuring;
  EXPECT_EQ(measuring.plan().total_bytes, 0U);
  EXPECT_TRUE(measuring.plan().slots.empty());
}

TEST(WorkspaceDeathTest, ARunThatTakesMoreOrLargerTemporariesThanMeasuredIsOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Workspace measuring;
  {
    const Temporary t = measuring.take(DType::kF32, {16});
  }
  const MemoryPlan plan = measuring.plan();
  const std::shared_ptr<Buffer> buffer = buffer_of(plan.total_bytes);
  EXPECT_DEATH(
      {
        Workspace placed(plan, buffer);
        const Temporary t = placed.take(DType::kF32, {17});
      },
      "internal error");
  EXPECT_DEATH(
      {
        Workspace placed(plan, buffer);
        const Temporary a = placed.take(DType::kF32, {16});
        const Temporary b = placed.take(DType::kF32, {1});
      },
      "internal error");
}

}  // namespace
}  // namespace speech
