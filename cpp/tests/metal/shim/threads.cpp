// Runs threadgroups fibre by fibre; see threads.h.

#include "metal/shim/threads.h"

#include <ucontext.h>

#include <algorithm>
#include <memory>

namespace speech::shim {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256} << 10;

struct Fibre {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  Thread thread;
  Meeting at = Meeting::kNone;
  int line = 0;
  int calls = 0;        // of from_lane
  float given[2] = {};  // by the last two calls: a thread is at most one call ahead of its simdgroup
};

struct Group {
  std::vector<Fibre> fibres;
  ucontext_t scheduler{};
  Fibre* current = nullptr;
  const Kernel* kernel = nullptr;
  void* const* buffers = nullptr;
  void* const* threadgroups = nullptr;
};
Group* g_group = nullptr;

void enter() {
  Fibre& self = *g_group->current;
  g_group->kernel->call(g_group->buffers, g_group->threadgroups, self.thread);
  self.at = Meeting::kDone;
  swapcontext(&self.context, &g_group->scheduler);
}

std::string diverged(const Kernel& kernel, const Fibre& one, const Fibre& other) {
  const auto place = [](const Fibre& fibre) {
    return fibre.at == Meeting::kDone ? std::string("the end") : "line " + std::to_string(fibre.line);
  };
  return std::string(kernel.name) + ": threads diverge, thread " + std::to_string(one.thread.index) + " waits at " +
         place(one) + ", thread " + std::to_string(other.thread.index) + " at " + place(other);
}

// Runs a simdgroup until all of its threads wait for the other simdgroups, or are done.
std::string run_simd(Group& group, std::size_t begin, std::size_t end) {
  for (;;) {
    for (std::size_t i = begin; i < end; ++i) {
      Fibre& fibre = group.fibres[i];
      if (fibre.at == Meeting::kNone) {
        group.current = &fibre;
        swapcontext(&group.scheduler, &fibre.context);
      }
    }
    const Fibre& first = group.fibres[begin];
    for (std::size_t i = begin; i < end; ++i) {
      const Fibre& fibre = group.fibres[i];
      if (fibre.at != first.at || (first.at != Meeting::kDone && fibre.line != first.line)) {
        return diverged(*group.kernel, first, fibre);
      }
    }
    if (first.at != Meeting::kSimd) {
      return {};
    }
    for (std::size_t i = begin; i < end; ++i) {
      group.fibres[i].at = Meeting::kNone;
    }
  }
}

std::string run_group(Group& group, bool backwards) {
  const std::size_t n_simds = group.fibres.size() / kLanes;
  for (;;) {
    for (std::size_t i = 0; i < n_simds; ++i) {
      const std::size_t begin = (backwards ? n_simds - 1 - i : i) * kLanes;
      const std::string wrong = run_simd(group, begin, begin + kLanes);
      if (!wrong.empty()) {
        return wrong;
      }
    }
    const Fibre& first = group.fibres.front();
    for (const Fibre& fibre : group.fibres) {
      if (fibre.at != first.at || (first.at != Meeting::kDone && fibre.line != first.line)) {
        return diverged(*group.kernel, first, fibre);
      }
    }
    if (first.at == Meeting::kDone) {
      return {};
    }
    for (Fibre& fibre : group.fibres) {
      fibre.at = Meeting::kNone;
    }
  }
}

// Tables of pointers by index, or what does not fit the text.
std::string bind(const Kernel& kernel, const Dispatch& dispatch, std::vector<void*>& buffers) {
  std::size_t n_buffers = 0;
  std::size_t n_threadgroups = 0;
  for (const Argument& argument : kernel.arguments) {
    const std::string place = std::string(kernel.name) + ": index " + std::to_string(argument.index);
    if (argument.kind == Argument::Kind::kThreadgroup) {
      ++n_threadgroups;
      if (dispatch.threadgroup_bytes.count(argument.index) == 0) {
        return place + " of threadgroup memory has no size";
      }
      continue;
    }
    ++n_buffers;
    const auto found = dispatch.buffers.find(argument.index);
    if (found == dispatch.buffers.end()) {
      return place + " is not set";
    }
    const bool is_constant = argument.kind == Argument::Kind::kConstant;
    if (found->second.is_constant != is_constant || (is_constant && found->second.bytes != argument.bytes)) {
      return place + " is of another kind or size";
    }
    buffers.resize(std::max<std::size_t>(buffers.size(), argument.index + 1));
    buffers[argument.index] = found->second.data;
  }
  if (n_buffers != dispatch.buffers.size() || n_threadgroups != dispatch.threadgroup_bytes.size()) {
    return std::string(kernel.name) + ": more is set than the kernel has arguments";
  }
  return {};
}

}  // namespace

void meet(Meeting meeting, int line) {
  Fibre& self = *g_group->current;
  self.at = meeting;
  self.line = line;
  swapcontext(&self.context, &g_group->scheduler);
}

int lane() { return static_cast<int>(g_group->current->thread.lane); }

float from_lane(float value, int lane, int line) {
  Fibre& self = *g_group->current;
  const int turn = self.calls++ % 2;
  self.given[turn] = value;
  meet(Meeting::kSimd, line);
  return g_group->fibres[self.thread.simd * kLanes + static_cast<unsigned>(lane)].given[turn];
}

std::string run(const Dispatch& dispatch) {
  const Kernel* kernel = find_kernel(dispatch.name);
  if (kernel == nullptr) {
    return "no kernel is called " + dispatch.name;
  }
  if (dispatch.threads_x % kLanes != 0) {
    return dispatch.name + ": a threadgroup is not of whole simdgroups";
  }
  std::vector<void*> buffers;
  const std::string wrong = bind(*kernel, dispatch, buffers);
  if (!wrong.empty()) {
    return wrong;
  }
  Group group;
  group.kernel = kernel;
  group.fibres.resize(dispatch.threads_x);
  for (Fibre& fibre : group.fibres) {
    fibre.stack = std::make_unique<char[]>(kStackBytes);
  }
  g_group = &group;
  for (unsigned y = 0; y < dispatch.groups_y; ++y) {
    for (unsigned x = 0; x < dispatch.groups_x; ++x) {
      // New for each threadgroup and filled with NaN: what one leaves must not help the next.
      std::vector<std::unique_ptr<unsigned char[]>> memory;
      std::vector<void*> threadgroups;
      for (const auto& [index, bytes] : dispatch.threadgroup_bytes) {
        memory.push_back(std::make_unique<unsigned char[]>(bytes));
        std::fill_n(memory.back().get(), bytes, static_cast<unsigned char>(0xff));
        threadgroups.resize(std::max<std::size_t>(threadgroups.size(), index + 1));
        threadgroups[index] = memory.back().get();
      }
      group.buffers = buffers.data();
      group.threadgroups = threadgroups.data();
      for (unsigned i = 0; i < dispatch.threads_x; ++i) {
        Fibre& fibre = group.fibres[i];
        fibre.thread = {x * dispatch.threads_x + i, y, i, dispatch.threads_x, i % kLanes, i / kLanes, x};
        fibre.at = Meeting::kNone;
        getcontext(&fibre.context);
        fibre.context.uc_stack.ss_sp = fibre.stack.get();
        fibre.context.uc_stack.ss_size = kStackBytes;
        makecontext(&fibre.context, enter, 0);
      }
      const std::string diverged_at = run_group(group, dispatch.backwards);
      if (!diverged_at.empty()) {
        return diverged_at;
      }
    }
  }
  return {};
}

}  // namespace speech::shim
