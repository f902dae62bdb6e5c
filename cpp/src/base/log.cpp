// The one log callback and the formatting in front of it.
#include "base/log.h"

#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>

#include "base/threads.h"

namespace speech {
namespace {

void print_warnings(LogLevel level, const char* text) {
  if (level == LogLevel::kWarn || level == LogLevel::kError) {
    std::fputs(text, stderr);
  }
}

void print_all(LogLevel /*level*/, const char* text) { std::fputs(text, stderr); }

struct Sink {
  Mutex mutex;
  LogCallback callback;  // empty: the default
};

Sink& sink() {
  static Sink instance;
  return instance;
}

[[gnu::format(printf, 1, 0)]] std::string line(const char* format, std::va_list arguments) {
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string text(length > 0 ? static_cast<std::size_t>(length) + 1 : 1, '\0');
  if (length > 0) {
    (void)std::vsnprintf(text.data(), text.size(), format, again);
  }
  va_end(again);
  text.back() = '\n';
  return text;
}

void send(LogLevel level, const std::string& text, void (*otherwise)(LogLevel, const char*)) {
  LogCallback callback;
  {
    Sink& source = sink();
    const std::lock_guard lock(source.mutex);
    callback = source.callback;
  }
  // Outside the lock: a callback may log or set another callback.
  if (callback) {
    callback(level, text.c_str());
  } else {
    otherwise(level, text.c_str());
  }
}

}  // namespace

void set_log_callback(LogCallback callback) {
  Sink& target = sink();
  const std::lock_guard lock(target.mutex);
  target.callback = std::move(callback);
}

void log(LogLevel level, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const std::string text = line(format, arguments);
  va_end(arguments);
  send(level, text, print_warnings);
}

void print(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const std::string text = line(format, arguments);
  va_end(arguments);
  send(LogLevel::kInfo, text, print_all);
}

}  // namespace speech
