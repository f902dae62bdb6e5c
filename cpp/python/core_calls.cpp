// Implements core_calls.h.
#include "core_calls.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "core_error.h"
#include "core_log.h"

namespace speech::python {
namespace {

// How long interpreter exit waits: calls look for a stop between operations, of which the longest takes well under a
// second. A call that hangs in a Python callback must not keep the process for ever.
constexpr std::chrono::seconds kExitWait{10};

struct Calls {
  std::mutex mutex;
  std::condition_variable changed;
  int n_running = 0;
  std::atomic<bool> shutting_down{false};
};

Calls& calls() {
  // Never destroyed: a call that outlives the wait may still end after static destructors ran.
  static Calls* const kInstance = new Calls;
  return *kInstance;
}

void shut_down() {
  Calls& all = calls();
  all.shutting_down = true;
  const py::gil_scoped_release release;  // the calls need it to end
  std::unique_lock lock(all.mutex);
  all.changed.wait_for(lock, kExitWait, [&all] { return all.n_running == 0; });
}

}  // namespace

Lease::Lease(BusyFlag& flag, std::string_view object) : flag_(flag) {
  if (flag_.exchange(true)) {
    throw Failure(WHISPER_EXT_BUSY, std::string(object) + " is in use by another call", "one call at a time",
                  "Wait for the call to end, or give each thread its own state (Context.new_state).");
  }
}

NativeCall::NativeCall() {
  if (is_shutting_down()) throw Failure(WHISPER_EXT_CANCELLED, "the interpreter is shutting down");
  const std::lock_guard lock(calls().mutex);
  ++calls().n_running;
}

NativeCall::~NativeCall() {
  try {
    drain_log();
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("a logging handler of wspkit.core");
  }
  Calls& all = calls();
  {
    const std::lock_guard lock(all.mutex);
    --all.n_running;
  }
  all.changed.notify_all();
}

bool is_shutting_down() { return calls().shutting_down; }

void bind_calls(py::module_& module) {
  py::class_<CancellationToken, std::shared_ptr<CancellationToken>>(
      module, "CancellationToken", "A request to stop; any thread may make it, and it stays made.")
      .def(py::init<>())
      .def("cancel", &CancellationToken::cancel, "Asks the calls that were given this token to stop.")
      .def_property_readonly("cancelled", &CancellationToken::is_cancelled, "Whether cancel() was called.")
      .def("__repr__", [](const CancellationToken& token) {
        return std::string("CancellationToken(cancelled=") + (token.is_cancelled() ? "True)" : "False)");
      });
  py::module_::import("atexit").attr("register")(py::cpp_function(&shut_down));
}

}  // namespace speech::python
