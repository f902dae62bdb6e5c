// The one log callback and the formatting in front of it.
#include "base/log.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <string>

namespace speech {
namespace {

void print_warnings(LogLevel level, const char* text, void* /*user_data*/) {
  if (level == LogLevel::kWarn || level == LogLevel::kError) {
    std::fputs(text, stderr);
  }
}

struct Sink {
  std::mutex mutex;
  LogCallback callback = print_warnings;
  void* user_data = nullptr;
};

Sink& sink() {
  static Sink instance;
  return instance;
}

}  // namespace

void set_log_callback(LogCallback callback, void* user_data) {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  target.callback = callback != nullptr ? callback : print_warnings;
  target.user_data = callback != nullptr ? user_data : nullptr;
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

  LogCallback callback = nullptr;
  void* user_data = nullptr;
  {
    Sink& source = sink();
    const std::lock_guard lock(source.mutex);
    callback = source.callback;
    user_data = source.user_data;
  }
  callback(level, text.c_str(), user_data);  // outside the lock: a callback may log or set another callback
}

}  // namespace speech
