// The last error of each thread, as the public C functions report it. Knows nothing of those functions.
#pragma once

#include <string>

#include "base/status.h"

namespace speech {

/// Remembers an error of the calling thread, in place of the one before; a Status that is ok changes nothing. Never
/// throws: when there is no memory for the message, the code stays and a fixed text stands in for it.
void set_last_error(const Status& status) noexcept;

/// Back to kOk and "".
void clear_last_error() noexcept;

/// Code of the last error of the calling thread; kOk if there was none since the thread began or since it was cleared.
Code last_error_code() noexcept;

/// Its message, never null; valid until the next set_last_error() or clear_last_error() on this thread.
const char* last_error_message() noexcept;

}  // namespace speech
