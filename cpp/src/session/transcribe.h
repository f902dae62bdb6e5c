// Transcribes a recording window by window: the loop around features, encoder, decoder and segments.
#pragma once

#include "session/context.h"
#include "session/options.h"
#include "session/piece.h"
#include "session/state.h"

namespace speech {

/// state.segments <- the transcript of a recording. Under 100 ms there are none, which a warning in
/// the log says. On an error `stage` says where, and the segments found before it stay. The state works as new
/// afterwards.
Status transcribe(const Context& context, State& state, const Options& options, const Samples& samples, Stage& stage);

/// The same for one piece of a recording; results are added to those that the state has.
Status transcribe_piece(const Context& context, State& state, const Options& options, const Piece& piece, Stage& stage);

}  // namespace speech
