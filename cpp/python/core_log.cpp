// Implements core_log.h.
#include "core_log.h"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "core_error.h"
#include "whisper.h"

namespace speech::python {
namespace {

// Lines kept while nobody drains: far more than one call of the core says, and at most a few hundred kB.
constexpr std::size_t kMaxLines = 4096;

struct Line {
  ggml_log_level level;
  std::string text;
};

struct Queue {
  std::mutex mutex;
  std::deque<Line> lines;
  std::size_t n_dropped = 0;
  std::atomic<bool> waiting{false};

  /// Must not throw: a line that finds no memory is counted as dropped, and the work goes on.
  void push(ggml_log_level level, const char* text) {
    const std::lock_guard lock(mutex);
    waiting = true;
    if (lines.size() >= kMaxLines) {
      ++n_dropped;
      return;
    }
    try {
      if (level == GGML_LOG_LEVEL_CONT && !lines.empty()) {
        lines.back().text += text;
      } else {
        lines.push_back({level, text});
      }
    } catch (const std::bad_alloc&) {
      ++n_dropped;
    }
  }

  std::string last_error() {
    const std::lock_guard lock(mutex);
    const auto found =
        std::find_if(lines.rbegin(), lines.rend(), [](const Line& line) { return line.level == GGML_LOG_LEVEL_ERROR; });
    return found == lines.rend() ? std::string() : found->text;
  }

  std::optional<Line> pop() {
    const std::lock_guard lock(mutex);
    if (lines.empty()) {
      waiting = false;
      if (n_dropped == 0) return std::nullopt;
      return Line{GGML_LOG_LEVEL_WARN, std::to_string(std::exchange(n_dropped, 0)) + " log lines were dropped"};
    }
    Line line = std::move(lines.front());
    lines.pop_front();
    return line;
  }
};

Queue& queue() {
  // Never destroyed: a thread of the core may still log while the process ends.
  static Queue* const kInstance = new Queue;
  return *kInstance;
}

void on_log(ggml_log_level level, const char* text, void* /*user_data*/) {
  if (text != nullptr) queue().push(level, text);
}

// Python's levels: DEBUG 10, INFO 20, WARNING 30, ERROR 40.
int python_level(ggml_log_level level) {
  switch (level) {
    case GGML_LOG_LEVEL_ERROR: return 40;
    case GGML_LOG_LEVEL_WARN: return 30;
    case GGML_LOG_LEVEL_INFO: return 20;
    case GGML_LOG_LEVEL_NONE:
    case GGML_LOG_LEVEL_DEBUG:
    case GGML_LOG_LEVEL_CONT: break;
  }
  return 10;
}

void trim_line_end(std::string& text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
}

}  // namespace

void install_log() { whisper_log_set(&on_log, nullptr); }

bool log_is_waiting() { return queue().waiting; }

std::string last_logged_error() {
  std::string text = queue().last_error();
  trim_line_end(text);
  return text;
}

void drain_log() {
  if (!log_is_waiting()) return;
  const py::object logger = py::module_::import("logging").attr("getLogger")("wspkit.core");
  while (std::optional<Line> line = queue().pop()) {
    std::string& text = line->text;
    trim_line_end(text);
    // As an argument, so that a percent sign in the text is no format.
    if (!text.empty()) logger.attr("log")(python_level(line->level), "%s", text_of(text));
  }
}

}  // namespace speech::python
