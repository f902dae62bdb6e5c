// The temporaries of one phase: measured first, then placed in a buffer.
//
// A phase is a function that takes a Stream and a Workspace. It is run once at its largest shape with a measuring
// workspace and MeasuringStream (sizes and lifetimes are noted, nothing is computed), the plan gives each temporary a
// fixed place, and every later run takes its temporaries in the same order. Nothing is allocated after planning.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "backend/backend.h"

namespace speech {

/// Where each temporary of a phase lives, by the order in which the phase takes them.
struct MemoryPlan {
  struct Slot {
    std::size_t offset_bytes = 0;
    std::size_t bytes = 0;
  };
  std::vector<Slot> slots;
  std::size_t total_bytes = 0;
};

class Workspace;

/// A tensor that gives its place back when it goes out of scope (at recording time: the stream keeps the order).
class Temporary {
 public:
  Temporary(Workspace& workspace, std::size_t index, const Tensor& tensor)
      : workspace_(&workspace), index_(index), tensor_(tensor) {}
  Temporary(Temporary&& other) noexcept;
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary();

  operator const Tensor&() const { return tensor_; }  // NOLINT(google-explicit-constructor): it is the tensor
  const Tensor* operator->() const { return &tensor_; }
  const Tensor& tensor() const { return tensor_; }

 private:
  Workspace* workspace_;
  std::size_t index_;
  Tensor tensor_;
};

class Workspace {
 public:
  /// A measuring workspace; its tensors have sizes but no memory.
  Workspace() = default;
  /// A placed workspace: `buffer` has plan.total_bytes or more; phases that never overlap may share it.
  Workspace(MemoryPlan plan, std::shared_ptr<Buffer> buffer) : plan_(std::move(plan)), buffer_(std::move(buffer)) {}

  /// The next temporary of the phase. In a placed workspace it must fit the slot that measuring found for it.
  Temporary take(DType dtype, const Shape& shape);

  /// Must be called before each run of the phase.
  void restart() { next_ = 0; }

  /// Places what was measured: no two temporaries that live at the same time overlap.
  MemoryPlan plan() const;

  std::size_t bytes() const { return plan_.total_bytes; }

 private:
  friend class Temporary;
  void give_back(std::size_t index);

  struct Lifetime {
    std::size_t bytes = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  MemoryPlan plan_;
  std::shared_ptr<Buffer> buffer_;   // empty while measuring
  std::vector<Lifetime> lifetimes_;  // measuring only
  std::size_t clock_ = 0;            // measuring only: counts takes and returns
  std::size_t next_ = 0;
};

/// Accepts every operation and does nothing: the stream of a measuring run.
class MeasuringStream final : public Stream {
 public:
  void upload(const Tensor&, std::span<const std::byte>) override {}
  void convolve(const Tensor&, const Tensor&, const Tensor&, int, Activation, const Tensor&) override {}
  void linear(const Tensor&, const Tensor&, const Tensor&, Activation, const Tensor&, const Tensor&) override {}
  void layer_norm(const Tensor&, const Tensor&, const Tensor&, const Tensor&) override {}
  void add(const Tensor&, const Tensor&) override {}
  void embed(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&) override {}
  void attend(const Tensor&, const Tensor&, const Tensor&, int, const Tensor&, const Tensor&) override {}
  void attend_weights(const Tensor&, const Tensor&, int, int, const Tensor&) override {}
  void gather(const Tensor&, const Tensor&, const Tensor&) override {}
  void submit() override {}
  Status wait() override { return Status::ok(); }
  Result<std::span<const float>> read(const Tensor&) override { return std::span<const float>(); }
  void set_abort_callback(AbortCallback, void*) override {}
  void set_n_threads(int) override {}
};

}  // namespace speech
