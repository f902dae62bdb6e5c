// The core's log on its way to JavaScript. There is one log in a process, so there is one listener.
#pragma once

#include <functional>
#include <string>

#include "generated/values.h"

namespace speech::js {

/// Takes a line without its end; any thread.
using LogSink = std::function<void(LogLevel, std::string)>;

/// Hands lines of the level and above to sink; an empty sink gives the log back to the core. Replaces the former sink,
/// which may still be called by a thread that has begun to.
void set_log_sink(LogLevel level, LogSink sink);

}  // namespace speech::js
