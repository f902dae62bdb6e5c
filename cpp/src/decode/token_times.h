// Start and end of each token of a segment by what the decoder thought of timestamps, the length of the words and the
// loudness of the audio: a heuristic that costs nothing. Pure. Alignment (dtw.h) is more exact.
// Times are frames of 10 ms from the start of the audio. Source: whisper.cpp's experimental token times, whose rules
// these are.
#pragma once

#include <string_view>

#include "decode/segments.h"
#include "decode/signal_energy.h"
#include "text/vocabulary.h"

namespace speech {

struct TokenTimeOptions {
  float threshold_probability = 0.01F;      ///< a timestamp is trusted above this share of the timestamps ...
  float threshold_sum_probability = 0.01F;  ///< ... if all of them together are above this
};

/// How long a text takes to say, in letters: 1 for a code point, but 0.01 for a space, 2 for a comma, 3 for the end of
/// a sentence and for a digit; East Asian forms of these likewise. The beginning of a character counts for all of it
/// and the rest for nothing, so that one made of several tokens counts once.
float voice_length(std::string_view text);

/// Sets t0, t1 and vlen of the segment's tokens: segment.start <= t0 <= t1 <= next t0 <= segment.end. window_start: the
/// frame that timestamp 0.00 means. energy: of the recording; empty leaves out the last step, which moves the borders
/// of a token to where it gets loud or quiet.
void set_token_times(Segment& segment, int window_start, const SignalEnergy& energy, const Vocabulary& vocabulary,
                     const TokenTimeOptions& options);

}  // namespace speech
