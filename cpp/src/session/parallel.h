// Transcribes the parts of a recording at the same time, each by a state of its own.
#pragma once

#include "session/transcribe.h"

namespace speech {

/// As transcribe(), with the audio cut into n_parts equal parts of at least 1 s (fewer, where it is too short for so
/// many). `state` does the first part and gets the results and timings of all. The language is detected once. Callbacks
/// are called by one thread at a time; those of new segments in order: of the first part as they come, of the others
/// when all are done. An error in one part ends all.
Status transcribe_parallel(const Context& context, State& state, const Options& options, const Samples& samples,
                           int n_parts, Stage& stage);

}  // namespace speech
