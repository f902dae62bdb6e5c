// A check of our own code that stays in release builds, where a broken rule would write past a buffer.
#pragma once

namespace speech {

/// Logs what was broken and aborts. Only ever for a bug of ours, never for input.
[[noreturn]] void contract_broken(const char* file, int line, const char* rule);

}  // namespace speech

#define SPEECH_CHECK(rule) ((rule) ? static_cast<void>(0) : ::speech::contract_broken(__FILE__, __LINE__, #rule))
