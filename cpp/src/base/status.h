// Errors as values: every fallible function of the core returns a Status or a Result<T>. Knows nothing else of ours.
#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace speech {

/// What kind of thing went wrong; the numbers are public (whisper_ext.h repeats them) and never change.
enum class Code : std::uint8_t {
  kOk = 0,
  kInvalidArgument = 1,  ///< the caller passed a value outside its documented range
  kNotFound = 2,         ///< a file, tensor or name does not exist
  kBadFormat = 3,        ///< the bytes are not what they should be: wrong, cut, foreign or hostile data
  kUnsupported = 4,      ///< understood, but this build or this version cannot do it
  kOutOfMemory = 5,
  kCancelled = 6,  ///< an abort callback said stop
  kIo = 7,         ///< the operating system failed to read or write
  kBusy = 8,       ///< the object is in use by another call
  kInternal = 9,   ///< our own bug, never the input's fault
};

/// Success, or a code with a text that says what was found, what was expected, and where.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  static Status ok() { return {}; }

  bool is_ok() const { return code_ == Code::kOk; }
  explicit operator bool() const { return is_ok(); }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  /// The same error with the place where it happened in front: "reading model 'x.bin': ...".
  Status with_context(const std::string& context) const {
    return is_ok() ? *this : Status(code_, context + ": " + message_);
  }

 private:
  Code code_ = Code::kOk;
  std::string message_;
};

/// A T, or the Status that says why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) { assert(!status_.is_ok()); }

  bool is_ok() const { return value_.has_value(); }
  explicit operator bool() const { return is_ok(); }
  const Status& status() const { return status_; }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace speech

/// Leaves the calling function with the Status of `expr` if that is an error.
#define SPEECH_RETURN_IF_ERROR(expr)                             \
  do {                                                           \
    if (auto speech_status_ = (expr); !speech_status_.is_ok()) { \
      return speech_status_;                                     \
    }                                                            \
  } while (false)

/// Declares `decl` from the value of the Result `expr`, or leaves the calling function with its Status.
#define SPEECH_ASSIGN_OR_RETURN(decl, expr) \
  SPEECH_ASSIGN_OR_RETURN_(SPEECH_CONCAT_(speech_result_, __LINE__), decl, expr)
#define SPEECH_CONCAT_INNER_(a, b) a##b
#define SPEECH_CONCAT_(a, b) SPEECH_CONCAT_INNER_(a, b)
#define SPEECH_ASSIGN_OR_RETURN_(result, decl, expr) \
  auto result = (expr);                              \
  if (!result.is_ok()) {                             \
    return result.status();                          \
  }                                                  \
  decl = std::move(result).value()
