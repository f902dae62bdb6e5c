// A check of our own code that stays in release builds; see check.h.

#include "backend/check.h"

#include <cstdlib>

#include "base/log.h"

namespace speech {

void contract_broken(const char* file, int line, const char* rule) {
  log(LogLevel::kError, "%s:%d: internal error, the rule '%s' is broken", file, line, rule);
  std::abort();
}

}  // namespace speech
