// Token times by alignment: reads a window's text once more, looks at what the decoder attends to, and warps it onto
// the audio. Source: openai/whisper timing.py.
#pragma once

#include <span>

#include "decode/segments.h"
#include "decode/sequence.h"
#include "session/context.h"
#include "session/state.h"
#include "text/vocabulary.h"

namespace speech {

/// Sets t_dtw of the text tokens of `segments`, which are those that the window gave, in order: the frame in which the
/// token has been spoken, as whisper.cpp means it; it begins where the token before it ends. Never decreasing, from
/// window.seek to window.seek_end. The state's engine must still hold the window. task: what stood before the text
/// (start, language, task; no-timestamps is left out). By context.alignment_heads(); does nothing if there are none.
/// cancelled if the abort callback says so.
Status align_window(const Context& context, State& state, const Window& window, std::span<const Token> task,
                    std::span<Segment> segments);

}  // namespace speech
