// The languages that Whisper knows, in the order of their tokens.
#pragma once

#include <optional>
#include <string_view>

namespace speech {

/// Languages of the largest vocabulary; older models have the first 99.
inline constexpr int kMaxLanguages = 100;

/// Id by code ("de"), English name ("german") or OpenAI's other names ("castilian"), case-insensitive. Locale names
/// mean their language part ("en-US", "pt_BR"), which may be a code that systems use for the same language ("nb-NO",
/// "iw-IL"). Empty if unknown.
std::optional<int> language_id(std::string_view name);

/// "de"; empty view if id is outside 0..99.
std::string_view language_code(int id);

/// "german"; empty view if id is outside 0..99. Both views are zero-terminated.
std::string_view language_name(int id);

}  // namespace speech
