// How much a text shrinks when it is compressed: a measure of repetition. Pure; compresses nothing, only counts.
#pragma once

#include <cstddef>
#include <string_view>

namespace speech {

/// Bytes of the zlib stream (RFC 1950) that the text becomes by DEFLATE (RFC 1951) with hash chains and lazy matching
/// at the effort that zlib calls level 6. Within one per cent and 4 bytes of what zlib writes: where two encodings are
/// about equally long, another implementation may choose the other. Time grows with the length, at most some
/// thousand comparisons a byte. Text beyond 4 GiB is not counted.
std::size_t compressed_bytes(std::string_view text);

/// Bytes of the text by its compressed bytes: 2.4 and more for text that repeats itself; below 1 for a few words; 0 for
/// no text. Source: openai/whisper utils.py, compression_ratio.
double compression_ratio(std::string_view text);

}  // namespace speech
