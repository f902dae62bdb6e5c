// Calls into the core as Python sees them: cancellation, one call at a time per object, and no call left at interpreter
// exit. Knows nothing of what the calls do.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <string_view>

namespace speech::python {

namespace py = pybind11;

/// A request to stop, made by any thread and read without the GIL. It stays made.
class CancellationToken {
 public:
  void cancel() { cancelled_ = true; }
  bool is_cancelled() const { return cancelled_; }

 private:
  std::atomic<bool> cancelled_{false};
};

/// Whether an object of the core is in use; one call at a time may hold it.
using BusyFlag = std::atomic<bool>;

/// Holds an object for the length of a call. The constructor throws a BUSY Failure if another call holds it; it never
/// waits, since a thread that waits here might be the one whose callback the other call waits for.
class Lease {
 public:
  Lease(BusyFlag& flag, std::string_view object);
  ~Lease() { flag_ = false; }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  BusyFlag& flag_;
};

/// Stands for one call that works without the GIL. Interpreter exit asks such calls to stop and waits for them: a
/// thread that wanted the GIL back after that would be torn down inside C++ frames. Needs the GIL at construction and
/// destruction; throws a CANCELLED Failure once the interpreter is shutting down. At destruction it hands on what the
/// core logged meanwhile.
class NativeCall {
 public:
  NativeCall();
  ~NativeCall();
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;
};

/// Whether the interpreter is on its way out. Needs no GIL.
bool is_shutting_down();

/// Adds CancellationToken and the exit hook to the module.
void bind_calls(py::module_& module);

}  // namespace speech::python
