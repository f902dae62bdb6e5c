// Rules of the log: one callback gets whole lines of every level, null restores the default, changing it is safe.

#include "base/log.h"

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace speech {
namespace {

struct Lines {
  std::mutex mutex;
  std::vector<std::pair<LogLevel, std::string>> lines;
};

LogCallback into(Lines& lines) {
  return [&lines](LogLevel level, const char* text) {
    const std::lock_guard lock(lines.mutex);
    lines.lines.emplace_back(level, text);
  };
}

class Log : public testing::Test {
 protected:
  ~Log() override { set_log_callback({}); }
  Lines lines_;
};

TEST_F(Log, TheCallbackGetsOneWholeLineWithItsLevel) {
  set_log_callback(into(lines_));
  log(LogLevel::kInfo, "%d of %s", 3, "four");
  log(LogLevel::kDebug, "%s", "");
  ASSERT_EQ(lines_.lines.size(), 2U);
  EXPECT_EQ(lines_.lines[0], (std::pair{LogLevel::kInfo, std::string("3 of four\n")}));
  EXPECT_EQ(lines_.lines[1], (std::pair{LogLevel::kDebug, std::string("\n")}));
}

TEST_F(Log, LongLinesAreNotCut) {
  set_log_callback(into(lines_));
  const std::string text(100000, 'x');
  log(LogLevel::kWarn, "%s", text.c_str());
  ASSERT_EQ(lines_.lines.size(), 1U);
  EXPECT_EQ(lines_.lines[0].second, text + "\n");
}

TEST_F(Log, TheDefaultPrintsWarningsAndErrorsOnly) {
  testing::internal::CaptureStderr();
  log(LogLevel::kInfo, "hidden");
  log(LogLevel::kWarn, "seen");
  log(LogLevel::kError, "seen too");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "seen\nseen too\n");
}

TEST_F(Log, WhatIsAskedForIsPrintedWhereNoCallbackIsSet) {
  testing::internal::CaptureStderr();
  print("%d rows", 7);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "7 rows\n");
  set_log_callback(into(lines_));
  print("%d rows", 8);
  ASSERT_EQ(lines_.lines.size(), 1U);
  EXPECT_EQ(lines_.lines[0], (std::pair{LogLevel::kInfo, std::string("8 rows\n")}));
}

TEST_F(Log, NullRestoresTheDefault) {
  set_log_callback(into(lines_));
  set_log_callback({});
  testing::internal::CaptureStderr();
  log(LogLevel::kError, "to stderr");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "to stderr\n");
  EXPECT_TRUE(lines_.lines.empty());
}

TEST_F(Log, TheCallbackMayChangeWhileOthersLog) {
  Lines other;
  set_log_callback(into(lines_));
  std::thread writer([] {
    for (int i = 0; i < 500; ++i) {
      log(LogLevel::kInfo, "%d", i);
    }
  });
  for (int i = 0; i < 200; ++i) {
    set_log_callback(into(i % 2 == 0 ? other : lines_));
  }
  writer.join();
  EXPECT_EQ(lines_.lines.size() + other.lines.size(), 500U);
}

}  // namespace
}  // namespace speech
