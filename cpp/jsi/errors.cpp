// Implements errors.h.
#include "errors.h"

#include <new>

#include "whisper_ext.h"

namespace speech::js {

namespace {

/// The option that a message of the core is about, as JavaScript names it; empty if it is about none. The core writes
/// "option beam_size is 0".
std::string option_in(std::string_view message) {
  constexpr std::string_view kBefore = "option ";
  const std::size_t place = message.find(kBefore);
  if (place == std::string_view::npos) return "";
  std::string name;
  bool begins_word = false;
  for (const char letter : message.substr(place + kBefore.size())) {
    if (letter != '_' && (letter < 'a' || letter > 'z')) break;
    if (letter != '_') name += begins_word ? static_cast<char>(letter - 'a' + 'A') : letter;
    begins_word = letter == '_';
  }
  return name.empty() ? "" : "options." + name;
}

}  // namespace

Refusal last_failure(std::string_view doing, std::string field) {
  const int number = whisper_ext_last_error_code();
  std::string text = whisper_ext_last_error();
  // A core of another making may fail without a word.
  if (number == WHISPER_EXT_OK || text.empty()) text = std::string(doing) + " failed";
  if (std::string option = option_in(text); !option.empty()) field = std::move(option);
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
