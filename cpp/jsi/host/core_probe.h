// Stands between the binding and the core: tells how many calls are inside it at once and how often they ask whether to
// stop, and can hold them there. So that tests know what the core does, and need no clock. The linker puts it there.
#pragma once

#include <string>

namespace speech::js::host {

/// From now on a call of the core waits at its nth question whether to stop, until this is called again; 0 lets all go.
/// Counts begin anew. Any thread.
void hold_core(int nth_question);

/// As JSON: inside, calls that have asked and not ended; mostInside of them at once; asked, questions of the call that
/// asked last; askedAfterStop, questions of all calls after the answer to stop.
std::string probed();

}  // namespace speech::js::host
