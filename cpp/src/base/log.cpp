// The one log callback and the formatting in front of it.
#include "base/log.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

namespace speech {
namespace {

void print_warnings(LogLevel level, const char* text) {
  if (level == LogLevel::kWarn || level == LogLevel::kError) {
    std::fputs(text, stderr);
  }
}

struct Sink {
  std::mutex mutex;
  LogCallback callback = print_warnings;
};

Sink& sink() {
  static Sink instance;
  return instance;
}

}  // namespace

void set_log_callback(LogCallback callback) {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  target.callback = callback ? std::move(callback) : print_warnings;
}

void log(LogLevel level, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
  if (length > 0) {
    (void)std::vsnprintf(text.data(), text.size(), format, again);
  }
  va_end(again);
  text.back() = '\n';

  LogCallback callback;
  {
    Sink& source = sink();
    const std::lock_guard lock(source.mutex);
    callback = source.callback;
  }
  callback(level, text.c_str());  // outside the lock: a callback may log or set another callback
}

}  // namespace speech
