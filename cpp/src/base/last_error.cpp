// One code and one message per thread.
#include "base/last_error.h"

#include <exception>
#include <string>

#include "base/threads.h"

namespace speech {
namespace {

struct LastError {
  Code code = Code::kOk;
  std::string message;
  const char* stand_in = nullptr;  // used instead of `message` when that could not be copied
};

LastError& last_error() noexcept { return of_this_thread<LastError>(); }

}  // namespace

void set_last_error(const Status& status) noexcept {
  if (status.is_ok()) {
    return;
  }
  LastError& error = last_error();
  error.code = status.code();
  error.stand_in = nullptr;
  try {
    error.message = status.message();
  } catch (const std::exception&) {
    error.stand_in = "an error whose message did not fit into memory";
  }
}

void clear_last_error() noexcept {
  LastError& error = last_error();
  error.code = Code::kOk;
  error.message.clear();
  error.stand_in = nullptr;
}

Code last_error_code() noexcept { return last_error().code; }

const char* last_error_message() noexcept {
  const LastError& error = last_error();
  return error.stand_in != nullptr ? error.stand_in : error.message.c_str();
}

}  // namespace speech
