// Threads of a GPU's threadgroup as fibres of one host thread, and how a test starts a kernel on them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace speech::shim {

constexpr int kLanes = 32;
enum class Meeting { kNone, kSimd, kThreadgroup, kDone };

/// Waits until all threads of the simdgroup or threadgroup are at the same line.
void meet(Meeting meeting, int line);
/// This thread's number in its simdgroup.
int lane();
/// The value that thread `lane` of the simdgroup gave to the same call.
float from_lane(float value, int lane, int line);

/// What a thread is told of itself.
struct Thread {
  unsigned grid_x = 0, grid_y = 0;
  unsigned index = 0, count = 0, lane = 0, simd = 0, group = 0;
};

struct Argument {
  enum class Kind { kBuffer, kConstant, kThreadgroup } kind;
  unsigned index;
  std::size_t bytes;  // of one element, or of the whole constant
};

struct Kernel {
  const char* name;
  std::vector<Argument> arguments;
  void (*call)(void* const* buffers, void* const* threadgroups, const Thread& thread);
};

/// The kernel of that name out of the table that bind.py has made; null if there is none.
const Kernel* find_kernel(const std::string& name);

/// A dispatch as the host code of a GPU describes it.
struct Dispatch {
  std::string name;
  struct Bytes {
    void* data = nullptr;
    std::size_t bytes = 0;
    bool is_constant = false;
  };
  std::map<unsigned, Bytes> buffers;
  std::map<unsigned, std::size_t> threadgroup_bytes;
  unsigned groups_x = 1, groups_y = 1;
  unsigned threads_x = kLanes;
  bool backwards = false;  // simdgroups run from the last to the first: another order that a GPU may choose
};

/// Runs it to the end; what is wrong with it, or an empty text: an unknown kernel, arguments that are not those of the
/// text (missing, too many, a constant of another size), threads that wait at different barriers.
std::string run(const Dispatch& dispatch);

}  // namespace speech::shim
