// Implements errors.h.
#include "errors.h"

#include <new>

#include "whisper_ext.h"

namespace speech::js {

Refusal last_failure(std::string_view doing, std::string field) {
  const int number = whisper_ext_last_error_code();
  std::string text = whisper_ext_last_error();
  // A core of another making may fail without a word.
  if (number == WHISPER_EXT_OK || text.empty()) text = std::string(doing) + " failed";
  return {number == WHISPER_EXT_OK ? code::kInternal : code_of(number), std::move(field), std::move(text)};
}

Refusal current_refusal() {
  try {
    throw;
  } catch (const Refusal& refusal) {
    return refusal;
  } catch (const std::bad_alloc&) {
    return {code::kOutOfMemory, "", "memory ran out"};
  } catch (const std::exception& error) {
    return {code::kInternal, "", error.what()};
  } catch (...) {
    return {code::kInternal, "", "an exception of an unknown kind"};
  }
}

}  // namespace speech::js
