// Rules of Status and Result: an error keeps its code and text, context goes in front, macros leave at the first error.

#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>

namespace speech {
namespace {

TEST(Status, IsOkUntilItHoldsAnError) {
  EXPECT_TRUE(Status().is_ok());
  EXPECT_TRUE(Status::ok().message().empty());
  const Status error(Code::kBadFormat, "cut at byte 7");
  EXPECT_FALSE(error.is_ok());
  EXPECT_FALSE(error);
  EXPECT_EQ(error.code(), Code::kBadFormat);
  EXPECT_EQ(error.message(), "cut at byte 7");
}

TEST(Status, ContextGoesInFrontOfErrorsOnly) {
  const Status error = Status(Code::kIo, "cannot read").with_context("model 'x'");
  EXPECT_EQ(error.message(), "model 'x': cannot read");
  EXPECT_EQ(error.code(), Code::kIo);
  EXPECT_TRUE(Status().with_context("model 'x'").message().empty());
}

TEST(Status, CodesKeepTheirPublicNumbers) {
  EXPECT_EQ(static_cast<int>(Code::kOk), 0);
  EXPECT_EQ(static_cast<int>(Code::kInvalidArgument), 1);
  EXPECT_EQ(static_cast<int>(Code::kNotFound), 2);
  EXPECT_EQ(static_cast<int>(Code::kBadFormat), 3);
  EXPECT_EQ(static_cast<int>(Code::kUnsupported), 4);
  EXPECT_EQ(static_cast<int>(Code::kOutOfMemory), 5);
  EXPECT_EQ(static_cast<int>(Code::kCancelled), 6);
  EXPECT_EQ(static_cast<int>(Code::kIo), 7);
  EXPECT_EQ(static_cast<int>(Code::kBusy), 8);
  EXPECT_EQ(static_cast<int>(Code::kInternal), 9);
}

Result<std::unique_ptr<int>> half_of(int value) {
  if (value % 2 != 0) {
    return Status(Code::kInvalidArgument, "odd");
  }
  return std::make_unique<int>(value / 2);
}

Result<int> quarter_of(int value) {
  SPEECH_ASSIGN_OR_RETURN(const std::unique_ptr<int> half, half_of(value));
  SPEECH_ASSIGN_OR_RETURN(const std::unique_ptr<int> quarter, half_of(*half));
  return *quarter;
}

Status check_quarter(int value, bool* reached) {
  SPEECH_RETURN_IF_ERROR(quarter_of(value).status());
  *reached = true;
  return Status::ok();
}

TEST(Result, HoldsAMoveOnlyValueOrTheStatusThatSaysWhyNot) {
  Result<std::unique_ptr<int>> good = half_of(4);
  ASSERT_TRUE(good.is_ok());
  EXPECT_EQ(**good, 2);
  const std::unique_ptr<int> taken = std::move(good).value();
  EXPECT_EQ(*taken, 2);
  const auto bad = half_of(3);
  ASSERT_FALSE(bad.is_ok());
  EXPECT_EQ(bad.status().message(), "odd");
}

TEST(Result, MacrosLeaveAtTheFirstError) {
  EXPECT_EQ(*quarter_of(12), 3);
  EXPECT_EQ(quarter_of(6).status().message(), "odd");
  bool reached = false;
  EXPECT_EQ(check_quarter(6, &reached).code(), Code::kInvalidArgument);
  EXPECT_FALSE(reached);
  EXPECT_TRUE(check_quarter(8, &reached).is_ok());
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace speech
