// Runs the tiles of one CPU operation on threads with scratch of their own; see task_runner.h.

#include "backend/cpu/task_runner.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/log.h"

namespace speech {
namespace {

constexpr std::align_val_t kAlignment{64};

}  // namespace

void AlignedDelete::operator()(float* p) const { ::operator delete(p, kAlignment); }

AlignedFloats aligned_floats(std::size_t n) {
  void* memory = ::operator new(n * sizeof(float), kAlignment, std::nothrow);
  if (memory != nullptr) {
    std::memset(memory, 0, n * sizeof(float));
  }
  return AlignedFloats(static_cast<float*>(memory));
}

TaskRunner::TaskRunner(std::size_t scratch_floats) : scratch_floats_(scratch_floats) {
  scratch_.reserve(ThreadPool::kMaxThreads);
  set_n_threads(1);
}

void TaskRunner::set_n_threads(int n_threads) {
  pool_.set_n_threads(n_threads);
  while (scratch_.size() < static_cast<std::size_t>(pool_.n_threads())) {
    AlignedFloats scratch = aligned_floats(scratch_floats_);
    if (scratch == nullptr) {
      log(LogLevel::kWarn, "no memory for the scratch of thread %zu; going on with %zu", scratch_.size() + 1,
          scratch_.size());
      pool_.set_n_threads(static_cast<int>(scratch_.size()));
      return;
    }
    scratch_.push_back(std::move(scratch));
  }
}

void TaskRunner::set_abort_callback(Stream::AbortCallback callback, void* user_data) {
  abort_callback_ = callback;
  abort_user_data_ = user_data;
}

}  // namespace speech
