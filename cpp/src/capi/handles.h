// The objects behind whisper.h's pointers, and the guard around every function body. Everything else is in the layers
// below.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/guard.h"
#include "base/last_error.h"
#include "base/log.h"
#include "session/context.h"
#include "session/state.h"
#include "whisper.h"

struct whisper_state {
  std::shared_ptr<const speech::Context> model;  // keeps the weights' owner alive, whatever is freed first
  std::unique_ptr<speech::State> state;
};

struct whisper_context {
  std::shared_ptr<const speech::Context> model;
  std::unique_ptr<whisper_state> state;  // null for the _no_state forms
};

namespace speech::capi {

/// Records an error for whisper_ext_last_error() and the log; `function` is the public name. Stopping on request is no
/// error to whoever reads the log.
inline void report(const char* function, const Status& status) {
  set_last_error(status);
  log(status.code() == Code::kCancelled ? LogLevel::kInfo : LogLevel::kError, "%s: %s", function,
      status.message().c_str());
}

/// Runs `body` and turns whatever it throws into an error; nothing crosses the C API.
template <typename R, typename Body>
R guarded(const char* function, R on_error, Body&& body) noexcept {
  return speech::guarded(on_error, std::forward<Body>(body),
                         [function](const Status& status) { report(function, status); });
}

inline Status null_argument(const char* name) { return {Code::kInvalidArgument, std::string(name) + " is null"}; }

inline Status busy() {
  return {Code::kBusy, "the state is in use by another call; wait for it, or use a state of its own"};
}

/// The context's own state, or null.
inline whisper_state* own_state(whisper_context* ctx) { return ctx != nullptr ? ctx->state.get() : nullptr; }

}  // namespace speech::capi
