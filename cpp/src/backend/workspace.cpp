// Measures and places the temporaries of a phase; see workspace.h. Knows sizes and lifetimes, nothing of the work.

#include "backend/workspace.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "backend/check.h"

namespace speech {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

constexpr std::size_t round_up(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

Temporary::Temporary(Temporary&& other) noexcept
    : workspace_(other.workspace_), index_(other.index_), tensor_(other.tensor_) {
  other.workspace_ = nullptr;
}

Temporary::~Temporary() {
  if (workspace_ != nullptr) {
    workspace_->give_back(index_);
  }
}

Temporary Workspace::take(DType dtype, const Shape& shape) {
  Tensor tensor{buffer_.get(), 0, dtype, shape};
  const std::size_t index = next_++;
  if (buffer_ == nullptr) {
    lifetimes_.push_back({round_up(tensor.bytes()), clock_++, kNever});
    return {*this, lifetimes_.size() - 1, tensor};
  }
  SPEECH_CHECK(index < plan_.slots.size());                  // a run takes no more temporaries than measuring found
  SPEECH_CHECK(tensor.bytes() <= plan_.slots[index].bytes);  // and no larger ones
  tensor.offset_bytes = plan_.slots[index].offset_bytes;
  return {*this, index, tensor};
}

void Workspace::give_back(std::size_t index) {
  if (buffer_ == nullptr) {
    lifetimes_[index].end = clock_++;
  }
}

MemoryPlan Workspace::plan() const {
  if (buffer_ != nullptr) {
    return plan_;
  }
  MemoryPlan plan;
  plan.slots.resize(lifetimes_.size());

  // The largest first, each at the lowest place that no already placed temporary of an overlapping lifetime covers.
  // Equal sizes keep the order of taking, so that every run gives the same plan.
  std::vector<std::size_t> order(lifetimes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return lifetimes_[a].bytes != lifetimes_[b].bytes ? lifetimes_[a].bytes > lifetimes_[b].bytes : a < b;
  });
  std::vector<MemoryPlan::Slot> placed_together;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Lifetime& life = lifetimes_[order[i]];
    placed_together.clear();
    for (std::size_t j = 0; j < i; ++j) {
      const Lifetime& other = lifetimes_[order[j]];
      if (life.begin < other.end && other.begin < life.end) {
        placed_together.push_back(plan.slots[order[j]]);
      }
    }
    std::sort(placed_together.begin(), placed_together.end(),
              [](const MemoryPlan::Slot& a, const MemoryPlan::Slot& b) { return a.offset_bytes < b.offset_bytes; });
    std::size_t offset = 0;
    for (const MemoryPlan::Slot& slot : placed_together) {
      if (offset + life.bytes <= slot.offset_bytes) {
        break;
      }
      offset = std::max(offset, slot.offset_bytes + slot.bytes);
    }
    plan.slots[order[i]] = {offset, life.bytes};
    plan.total_bytes = std::max(plan.total_bytes, offset + life.bytes);
  }
  return plan;
}

}  // namespace speech
