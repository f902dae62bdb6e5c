// Threads of a GPU's threadgroup as fibres of one host thread, and how a test starts a kernel on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace speech::shim {

constexpr int kLanes = 32;
constexpr std::size_t kMostThreads = 1024;                 // of a threadgroup, on every GPU that Metal 3 runs on
constexpr std::size_t kMostThreadgroupBytes = 32U << 10U;  // the same
enum class Meeting { kNone, kSimd, kThreadgroup, kDone };

/// A place in the text: of a barrier, or of an operation that a whole simdgroup does together.
struct Place {
  const char* file = nullptr;
  int line = 0;
  bool operator==(const Place& other) const = default;
};

/// Waits until all threads of the simdgroup or threadgroup are at the same place.
void meet(Meeting meeting, Place place);
/// What every thread of the simdgroup gave to the same call, by its number; to be read before the next call.
const std::array<std::uint32_t, kLanes>& give(std::uint32_t bits, Place place);
/// What a thread is told of itself.
struct Thread {
  unsigned grid_x = 0, grid_y = 0, grid_z = 0;
  unsigned index = 0, count = 0, lane = 0, simd = 0;
  unsigned group_x = 0, group_y = 0, group_z = 0;
  unsigned passed = 0;  // told by leads(): a sum over its lines
};
/// The one that runs.
extern Thread* g_running;

/// Whether this thread does what its whole simdgroup is to do together, at a line of the text: the first one does. That
/// all threads have come by the same lines is looked at when they next meet.
inline bool leads(int line) {
  g_running->passed = g_running->passed * 31 + static_cast<unsigned>(line);
  return g_running->lane == 0;
}

struct Argument {
  enum class Kind { kBuffer, kConstant, kThreadgroup } kind;
  unsigned index;
  std::size_t bytes;  // of one element, or of the whole constant
};

struct Kernel {
  const char* name;
  std::vector<Argument> arguments;
  void (*call)(void* const* buffers, void* const* threadgroups, const Thread& self);
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
  unsigned groups_x = 1, groups_y = 1, groups_z = 1;
  unsigned threads_x = kLanes;
  bool backwards = false;  // threads and simdgroups run from the last to the first: another order that a GPU may choose
};

/// Runs it to the end; what is wrong with it, or an empty text: an unknown kernel, arguments that are not those of the
/// text (missing, too many, a constant of another size, misaligned), more than a GPU has, threads that wait at
/// different places.
std::string run(const Dispatch& dispatch);

}  // namespace speech::shim
