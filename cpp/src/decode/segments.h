// Cuts the tokens of a window into segments at their timestamps. Pure. Times are frames of 10 ms from the start of the
// audio.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/sequence.h"
#include "text/vocabulary.h"

namespace speech {

struct Segment {
  int start = 0;  ///< frames
  int end = 0;
  std::string text;  ///< valid UTF-8
  std::vector<TokenData> tokens;
  std::vector<std::string> token_texts;  ///< of each token, see token_text.h; set when the segment is final
  float no_speech_probability = 0;
  bool speaker_turn_next = false;  ///< another speaker follows
};

struct CutOptions {
  bool single_segment = false;
  bool keep_special = false;  ///< special tokens stay in the text as "[_EOT_]" and the like
};

/// Segments of `tokens`, with 0 <= previous_end <= start <= end <= window.seek_end. Segments without text are left out.
/// seek_delta: end of the last one if no timestamp closes it.
std::vector<Segment> cut_segments(std::span<const TokenData> tokens, const Window& window, int seek_delta,
                                  int previous_end, const Vocabulary& vocabulary, const CutOptions& options);

/// Frames by which the window moves on after `tokens`: to the last timestamp, or over the whole window if they end with
/// a single one, which says that no speech follows. Source: openai/whisper transcribe.py, single_timestamp_ending.
int next_seek_delta(const Sequence& sequence, const Window& window, const SpecialTokens& special);

}  // namespace speech
