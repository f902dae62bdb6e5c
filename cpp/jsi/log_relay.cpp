// Implements log_relay.h.
#include "log_relay.h"

#include <memory>
#include <mutex>
#include <utility>

#include "whisper.h"

namespace speech::js {
namespace {

struct Relay {
  std::mutex mutex;
  LogLevel level = LogLevel::kOff;
  std::shared_ptr<const LogSink> sink;
};

Relay& relay() {
  // Never destroyed: a thread of the core may write while static objects are.
  static Relay* const kInstance = new Relay;
  return *kInstance;
}

LogLevel level_of(ggml_log_level level) {
  switch (level) {
    case GGML_LOG_LEVEL_ERROR: return LogLevel::kError;
    case GGML_LOG_LEVEL_WARN: return LogLevel::kWarn;
    case GGML_LOG_LEVEL_INFO: return LogLevel::kInfo;
    default: return LogLevel::kDebug;
  }
}

void write(ggml_log_level level, const char* text, void*) {
  try {
    std::shared_ptr<const LogSink> sink;
    {
      const std::lock_guard lock(relay().mutex);
      if (level_of(level) <= relay().level) sink = relay().sink;
    }
    if (!sink) return;
    std::string line = text;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    (*sink)(level_of(level), std::move(line));
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // A line that finds no memory is dropped: the work is worth more.
  }
}

}  // namespace

void set_log_sink(LogLevel level, LogSink sink) {
  const bool listens = sink && level != LogLevel::kOff;
  {
    const std::lock_guard lock(relay().mutex);
    relay().level = level;
    relay().sink = listens ? std::make_shared<const LogSink>(std::move(sink)) : nullptr;
  }
  whisper_log_set(listens ? &write : nullptr, nullptr);
}

}  // namespace speech::js
