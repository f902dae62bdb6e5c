// Cuts a segment into pieces of limited length, for subtitles. Pure. Length is counted in code points, and no piece
// begins inside a character, however many tokens it is made of.
#pragma once

#include <vector>

#include "decode/segments.h"
#include "text/vocabulary.h"

namespace speech {

struct WrapOptions {
  int max_characters = 0;      ///< code points, spaces included; 0 leaves segments whole
  bool split_on_word = false;  ///< only before tokens that begin with a space
  bool keep_special = false;   ///< as the segment was cut: special tokens are part of its text
};

/// The pieces of a segment whose tokens have times: together they have its text, its tokens and its time. A piece ends
/// where the next one's first token begins. What cannot be cut (a token of several characters, a word where
/// split_on_word is set) makes a longer piece by itself. The mark of a speaker turn stays with the last one.
std::vector<Segment> wrap_segment(Segment segment, const Vocabulary& vocabulary, const WrapOptions& options);

}  // namespace speech
