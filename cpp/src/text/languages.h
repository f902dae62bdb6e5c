// The languages that Whisper knows, in the order of their tokens.
#pragma once

#include <optional>
#include <string_view>

namespace speech {

/// Languages of the largest vocabulary; older models have the first 99.
inline constexpr int kMaxLanguages = 100;

/// Id by code ("de") or English name ("german"), case-insensitive; "en-US", "pt_BR" mean their language part. Empty if unknown.
std::optional<int> language_id(std::string_view name);

/// "de"; empty view if id is outside 0..99.
std::string_view language_code(int id);

/// "german"; empty view if id is outside 0..99. Both views are zero-terminated.
std::string_view language_name(int id);

}  // namespace speech
