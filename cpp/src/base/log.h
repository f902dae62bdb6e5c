// Levelled log lines through one process-wide callback, the only global mutable state of the core.
#pragma once

#include <functional>

namespace speech {

/// Numbers as in the newest ggml_log_level.
enum class LogLevel : int { kNone = 0, kDebug = 1, kInfo = 2, kWarn = 3, kError = 4, kContinue = 5 };

/// Receives one line, ended by '\n'. Called from any thread that works for the caller; must not throw.
using LogCallback = std::function<void(LogLevel level, const char* text)>;

/// Sets the receiver of all log lines; an empty one restores the default, which prints warnings and errors to stderr.
/// Safe to call while other threads log.
void set_log_callback(LogCallback callback);

/// printf-style; the newline is added.
[[gnu::format(printf, 2, 3)]] void log(LogLevel level, const char* format, ...);

/// A line that the caller asked to be printed: as kInfo to the callback, or to stderr where none is set.
[[gnu::format(printf, 1, 2)]] void print(const char* format, ...);

}  // namespace speech
