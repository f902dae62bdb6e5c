// Runs threadgroups fibre by fibre; see threads.h.

#include "metal/shim/threads.h"

#include <sanitizer/asan_interface.h>

#include <algorithm>
#include <memory>

// Stores the registers that a call keeps, and goes on where `to` was stored. ucontext would ask the system each time.
extern "C" void speech_shim_switch(void** stored, void* to);
asm(R"(
.text
.type speech_shim_switch, @function
speech_shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size speech_shim_switch, . - speech_shim_switch
)");

namespace speech::shim {

Thread* g_running = nullptr;

namespace {

constexpr std::size_t kStackBytes = std::size_t{64} << 10U;
constexpr std::size_t kRegisters = 6;  // on the stack of a fibre that does not run, below where it goes on

struct Fibre {
  void* stack_pointer = nullptr;
  std::unique_ptr<char[]> stack;
  Thread thread;
  Meeting at = Meeting::kNone;
  Place place;
  unsigned calls = 0;  // of give()
};

// What the threads of a simdgroup gave to the last two calls: one is at most one call ahead of the others.
using Given = std::array<std::array<std::uint32_t, kLanes>, 2>;

struct Group {
  std::vector<Fibre> fibres;
  std::vector<Given> given;  // by simdgroup
  std::size_t n_threads = 0;
  void* scheduler = nullptr;
  Fibre* current = nullptr;
  const Kernel* kernel = nullptr;
  void* const* buffers = nullptr;
  void* const* threadgroups = nullptr;
};
Group g_group;  // kept from one dispatch to the next, for its stacks

void go_back() { speech_shim_switch(&g_group.current->stack_pointer, g_group.scheduler); }

void enter() {
  g_group.kernel->call(g_group.buffers, g_group.threadgroups, g_group.current->thread);
  g_group.current->at = Meeting::kDone;
  go_back();
}

void prepare(Fibre& fibre) {
  if (fibre.stack == nullptr) {
    fibre.stack = std::make_unique_for_overwrite<char[]>(kStackBytes);
  }
  const auto end = reinterpret_cast<std::uintptr_t>(fibre.stack.get() + kStackBytes);
  auto* top = reinterpret_cast<void**>(end / 16 * 16) - 2;  // where a function begins, 8 above a multiple of 16
  *top = reinterpret_cast<void*>(&enter);
  std::fill(top - kRegisters, top, nullptr);
  fibre.stack_pointer = top - kRegisters;
  fibre.at = Meeting::kNone;
  fibre.calls = 0;
}

bool together(const Fibre& one, const Fibre& other) {
  return one.at == other.at && (one.at == Meeting::kDone || one.place == other.place);
}

std::string diverged(const Fibre& one, const Fibre& other) {
  const auto place = [](const Fibre& fibre) {
    return fibre.at == Meeting::kDone ? std::string("the end") : "line " + std::to_string(fibre.place.line);
  };
  return std::string(g_group.kernel->name) + ": threads diverge, thread " + std::to_string(one.thread.index) +
         " waits at " + place(one) + ", thread " + std::to_string(other.thread.index) + " at " + place(other);
}

// Runs a simdgroup until all of its threads wait for the other simdgroups, or are done.
std::string run_simd(Group& group, std::size_t begin, bool backwards) {
  for (;;) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      Fibre& fibre = group.fibres[begin + (backwards ? kLanes - 1 - i : i)];
      group.current = &fibre;
      g_running = &fibre.thread;
      speech_shim_switch(&group.scheduler, fibre.stack_pointer);
    }
    const Fibre& first = group.fibres[begin];
    for (std::size_t i = begin; i < begin + kLanes; ++i) {
      if (!together(first, group.fibres[i])) {
        return diverged(first, group.fibres[i]);
      }
      if (first.thread.passed != group.fibres[i].thread.passed) {
        return std::string(group.kernel->name) + ": not all threads take part in an operation of a simdgroup";
      }
    }
    if (first.at != Meeting::kSimd) {
      return {};
    }
  }
}

std::string run_group(Group& group, bool backwards) {
  const std::size_t n_simds = group.n_threads / kLanes;
  for (;;) {
    for (std::size_t i = 0; i < n_simds; ++i) {
      std::string wrong = run_simd(group, (backwards ? n_simds - 1 - i : i) * kLanes, backwards);
      if (!wrong.empty()) {
        return wrong;
      }
    }
    const Fibre& first = group.fibres.front();
    for (std::size_t i = 0; i < group.n_threads; i += kLanes) {
      if (!together(first, group.fibres[i])) {
        return diverged(first, group.fibres[i]);
      }
    }
    if (first.at == Meeting::kDone) {
      return {};
    }
  }
}

// Tables of pointers by index, or what does not fit the text.
std::string bind(const Kernel& kernel, const Dispatch& dispatch, std::vector<void*>& buffers) {
  std::size_t n_buffers = 0;
  std::size_t n_threadgroups = 0;
  std::size_t threadgroup_bytes = 0;
  for (const Argument& argument : kernel.arguments) {
    const std::string place = std::string(kernel.name) + ": index " + std::to_string(argument.index);
    if (argument.kind == Argument::Kind::kThreadgroup) {
      ++n_threadgroups;
      const auto found = dispatch.threadgroup_bytes.find(argument.index);
      if (found == dispatch.threadgroup_bytes.end()) {
        return place + " of threadgroup memory has no size";
      }
      threadgroup_bytes += found->second;
      if (found->second % 16 != 0 || threadgroup_bytes > kMostThreadgroupBytes) {
        return place + " of threadgroup memory is not of whole 16 bytes, or too large";
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
    if (!is_constant && reinterpret_cast<std::uintptr_t>(found->second.data) % argument.bytes != 0) {
      return place + " is not aligned to its elements";
    }
    buffers.resize(std::max<std::size_t>(buffers.size(), argument.index + 1));
    buffers[argument.index] = found->second.data;
  }
  if (n_buffers != dispatch.buffers.size() || n_threadgroups != dispatch.threadgroup_bytes.size()) {
    return std::string(kernel.name) + ": more is set than the kernel has arguments";
  }
  return {};
}

std::string run_groups(Group& group, const Dispatch& dispatch) {
  // Of exactly its size, so that what lies outside is seen.
  std::map<unsigned, std::unique_ptr<unsigned char[]>> memory;
  std::vector<void*> threadgroups;
  for (const auto& [index, bytes] : dispatch.threadgroup_bytes) {
    memory[index] = std::make_unique_for_overwrite<unsigned char[]>(bytes);
    threadgroups.resize(std::max<std::size_t>(threadgroups.size(), index + 1));
    threadgroups[index] = memory[index].get();
  }
  group.threadgroups = threadgroups.data();
  const std::size_t n_groups = std::size_t{dispatch.groups_x} * dispatch.groups_y * dispatch.groups_z;
  for (std::size_t n = 0; n < n_groups; ++n) {
    const std::size_t at = dispatch.backwards ? n_groups - 1 - n : n;
    const auto x = static_cast<unsigned>(at % dispatch.groups_x);
    const auto y = static_cast<unsigned>(at / dispatch.groups_x % dispatch.groups_y);
    const auto z = static_cast<unsigned>(at / dispatch.groups_x / dispatch.groups_y);
    // NaN: what one threadgroup leaves must not help the next.
    for (const auto& [index, bytes] : dispatch.threadgroup_bytes) {
      std::fill_n(memory[index].get(), bytes, static_cast<unsigned char>(0xff));
    }
    for (unsigned i = 0; i < dispatch.threads_x; ++i) {
      prepare(group.fibres[i]);
      group.fibres[i].thread = {.grid_x = x * dispatch.threads_x + i,
                                .grid_y = y,
                                .grid_z = z,
                                .index = i,
                                .count = dispatch.threads_x,
                                .lane = i % kLanes,
                                .simd = i / kLanes,
                                .group_x = x,
                                .group_y = y,
                                .group_z = z};
    }
    std::string wrong = run_group(group, dispatch.backwards);
    if (!wrong.empty()) {
      for (Fibre& fibre : group.fibres) {
        if (fibre.stack != nullptr) {
          ASAN_UNPOISON_MEMORY_REGION(fibre.stack.get(), kStackBytes);  // of functions that never ended
        }
      }
      return wrong;
    }
  }
  return {};
}

}  // namespace

void meet(Meeting meeting, Place place) {
  Fibre& self = *g_group.current;
  self.at = meeting;
  self.place = place;
  go_back();
}

const std::array<std::uint32_t, kLanes>& give(std::uint32_t bits, Place place) {
  Fibre& self = *g_group.current;
  auto& given = g_group.given[self.thread.simd][self.calls++ % 2];
  given[self.thread.lane] = bits;
  meet(Meeting::kSimd, place);
  return given;
}

std::string run(const Dispatch& dispatch) {
  const Kernel* kernel = find_kernel(dispatch.name);
  if (kernel == nullptr) {
    return "no kernel is called " + dispatch.name;
  }
  if (dispatch.threads_x % kLanes != 0 || dispatch.threads_x == 0 || dispatch.threads_x > kMostThreads) {
    return dispatch.name + ": a threadgroup is not of whole simdgroups, or too large";
  }
  std::vector<void*> buffers;
  std::string wrong = bind(*kernel, dispatch, buffers);
  if (!wrong.empty()) {
    return wrong;
  }
  g_group.kernel = kernel;
  g_group.buffers = buffers.data();
  g_group.n_threads = dispatch.threads_x;
  g_group.fibres.resize(std::max<std::size_t>(g_group.fibres.size(), dispatch.threads_x));
  g_group.given.resize(g_group.fibres.size() / kLanes);
  return run_groups(g_group, dispatch);
}

}  // namespace speech::shim
