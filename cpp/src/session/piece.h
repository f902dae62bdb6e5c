// A stretch of audio that is transcribed by itself, and where its times lie in the caller's recording. Times are frames
// of 10 ms.
#pragma once

#include <memory>

#include "audio/samples.h"
#include "decode/segments.h"
#include "session/options.h"
#include "session/state.h"
#include "vad/vad.h"

namespace speech {

struct Piece {
  Samples samples;
  int first_frame = 0;                   ///< of samples in the audio that it is a piece of
  std::shared_ptr<const SpeechCut> cut;  ///< that audio, where VAD has made it
  int shift_frames = 0;                  ///< from what was cut, or from that audio, to the start of the recording

  /// Times of a segment and its tokens, from the piece's to the recording's.
  void map_times(Segment& segment) const;

  /// Samples begin .. begin + n; begin is at a frame.
  Piece part(std::size_t begin, std::size_t n) const;
};

/// What offset_ms and duration_ms leave of a recording; empty behind its end.
Piece excerpt(const Options& options, const Samples& samples);

/// The speech in a piece, and state.vad_segments with its times in the recording. The model is read anew: it takes
/// milliseconds, and may have been replaced. Errors: not_found, io, bad_format of the model; invalid_argument of an
/// option or a sample that is not finite; cancelled. stage: where.
Result<Piece> speech_of(State& state, const Options& options, const Piece& piece, Stage& stage);

}  // namespace speech
