// The objects behind whisper.h's pointers, and the guard around every function body. Everything else is in the layers
// below.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/call_gate.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/report.h"
#include "session/context.h"
#include "session/state.h"
#include "whisper.h"

struct whisper_state {
  std::shared_ptr<const speech::Context> model;  // keeps the weights' owner alive, whatever is freed first
  std::unique_ptr<speech::State> state;
  ggml_abort_callback abort = nullptr;  // for the calls that take none
  void* abort_user_data = nullptr;
};

struct whisper_context {
  std::shared_ptr<const speech::Context> model;
  std::unique_ptr<whisper_state> state;  // null for the _no_state forms
  std::shared_ptr<speech::CallGate> gate = std::make_shared<speech::CallGate>(0);
  std::string backend_reason;
  std::string model_path;  // empty for a model that comes from no file
};

namespace speech::capi {

inline void report(const char* function, const Status& status) { report_error(function, status); }

/// Runs `body` and turns whatever it throws into an error; nothing crosses the C API.
template <typename R, typename Body>
R guarded(const char* function, R on_error, Body&& body) noexcept {
  return speech::guarded(on_error, std::forward<Body>(body),
                         [function](const Status& status) { report(function, status); });
}

/// The number in an enumeration of the C interface, which may be any: to C++ a value that it does not name is not even
/// one that may be looked at.
template <typename Enum>
int number_of(const Enum& value) {
  int number = 0;
  static_assert(sizeof(value) == sizeof(number));
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

inline Status null_argument(const char* name) { return {Code::kInvalidArgument, std::string(name) + " is null"}; }

inline Status busy() {
  return {Code::kBusy, "the state is in use by another call; wait for it, or use a state of its own"};
}

/// Makes the calling thread the user of a context and the one user of a state for its life.
class Call {
 public:
  Call(const whisper_context& ctx, const whisper_state& state) : in_context_(ctx.gate), in_state_(state.state->gate) {}
  /// False if another call uses the state, or the context is being freed.
  bool has_state() const { return in_context_.is_inside() && in_state_.is_inside(); }

 private:
  GateEntry in_context_;
  GateEntry in_state_;
};

/// The context's own state, or null.
inline whisper_state* own_state(whisper_context* ctx) { return ctx != nullptr ? ctx->state.get() : nullptr; }

}  // namespace speech::capi
