// Keeps exceptions inside a C function: whatever a body throws becomes a Status. Knows nothing of those functions.
#pragma once

#include <exception>
#include <new>
#include <string>
#include <utility>

#include "base/status.h"

namespace speech {

/// The value of body(); if that throws, report(Status) is called and on_error returned. body: () -> R.
template <typename R, typename Body, typename Report>
R guarded(R on_error, Body&& body, Report&& report) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    report(Status(Code::kOutOfMemory, "out of memory"));
  } catch (const std::exception& error) {
    report(Status(Code::kInternal, std::string("unexpected: ").append(error.what())));
  } catch (...) {
    report(Status(Code::kInternal, "unexpected exception"));
  }
  return on_error;
}

}  // namespace speech
