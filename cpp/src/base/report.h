// How a function of the C interface tells of an error: in the thread's record, and in the log.
#pragma once

#include "base/last_error.h"
#include "base/log.h"
#include "base/status.h"

namespace speech {

/// Records an error for whisper_ext_last_error() and the log; `function` is the public name. Stopping on request is no
/// error to whoever reads the log.
inline void report_error(const char* function, const Status& status) {
  set_last_error(status);
  log(status.code() == Code::kCancelled ? LogLevel::kInfo : LogLevel::kError, "%s: %s", function,
      status.message().c_str());
}

}  // namespace speech
