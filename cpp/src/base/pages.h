// Fresh memory of the operating system: a hint for those who are about to fill it. Knows nothing of what it is for.
#pragma once

#include <cstddef>

namespace speech {

/// Gets the pages of [begin, begin + n_bytes), which the caller owns and is about to write, in one request: a page that
/// is got by touching it costs half as much again. Only a hint: where the system knows no such request, and when it
/// refuses, nothing happens.
void fetch_pages(void* begin, std::size_t n_bytes);

}  // namespace speech
