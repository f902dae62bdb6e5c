// Names what a file is by its first bytes, for error messages and for refusing what we do not read. Knows no decoder
// and no model.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace speech {

/// The kind of file that begins with `bytes`, as a noun phrase for a message: "an MP3 file", "an Ogg file (Opus)", "an
/// HTML page", "a GGUF model", "a Git LFS pointer, not the file itself", "an empty file", "plain text" ...; "unknown
/// data" if none fits. bytes: the beginning of the file, or all of it; the first 512 are enough. Reads nothing else,
/// never fails.
std::string describe_content(std::span<const std::byte> bytes);

}  // namespace speech
