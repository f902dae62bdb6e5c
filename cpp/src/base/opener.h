// Who opens paths that the system does not know, such as assets in an app's archive. Knows nothing of what is in files.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace speech {

/// Bytes of a regular file that is open for reading.
struct OpenedFile {
  int descriptor = -1;  ///< whoever asked closes it
  std::int64_t offset = 0;
  std::int64_t n_bytes = -1;  ///< -1: to the end of the file
};

/// May be called from any thread, also by several at once.
using Opener = std::function<Result<OpenedFile>(const std::string& path)>;

/// For the whole process; empty: nobody. Calls that began before may still use the one before.
void set_opener(Opener opener);

/// The opener, if there is one and the path is its: "scheme://...", where scheme is not "file". Empty otherwise.
Opener opener_of(std::string_view path);

}  // namespace speech
