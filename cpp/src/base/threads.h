// Threads, mutexes and condition variables by names of our own: the standard library's, or what stands for them where a
// program has one thread. Whoever needs one includes this, never <thread>, <mutex> or <condition_variable>.
#pragma once

// The standard's own macro; absent where a program cannot have a second thread, as in WebAssembly.
#ifdef __STDCPP_THREADS__

#include <condition_variable>
#include <mutex>
#include <thread>

namespace speech {

inline constexpr bool kHasThreads = true;

using Thread = std::thread;
using ThreadId = std::thread::id;
using Mutex = std::mutex;
using ConditionVariable = std::condition_variable;

inline ThreadId this_thread_id() { return std::this_thread::get_id(); }

/// The calling thread's own T, made at its first use.
template <typename T>
T& of_this_thread() {
  thread_local T value;
  return value;
}

/// Threads that the machine runs at the same time; at least 1.
inline unsigned hardware_threads() {
  const unsigned n = std::thread::hardware_concurrency();
  return n == 0 ? 1 : n;
}

}  // namespace speech

#else
#include "base/no_threads.h"  // IWYU pragma: export
#endif
