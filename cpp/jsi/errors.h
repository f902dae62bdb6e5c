// Errors on their way to JavaScript. This header knows no JavaScript: workers throw and carry these.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "generated/contract.h"

namespace speech::js {

/// A typed error: code is one of speech::js::code, field the option or argument that is wrong (empty if none).
class Refusal : public std::exception {
 public:
  Refusal(std::string_view error_code, std::string wrong_field, std::string text)
      : code(error_code), field(std::move(wrong_field)), message(std::move(text)) {}

  const char* what() const noexcept override { return message.c_str(); }

  std::string code;
  std::string field;
  std::string message;
};

/// What the core said of the call on this thread that just failed. doing: "loading the model". field: what is wrong,
/// unless the core names an option.
Refusal last_failure(std::string_view doing, std::string field = "");

/// The exception that is being handled, as a Refusal; for a catch (...) where no JavaScript is below.
Refusal current_refusal();

}  // namespace speech::js
