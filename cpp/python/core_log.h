// Carries log lines of the core into Python's logging, logger "wspkit.core". Knows nothing of what the lines are about.
#pragma once

#include <string>

namespace speech::python {

/// Routes the log of the process into a queue. Lines may come from any thread, with or without the GIL, and while the
/// core holds locks of its own; the queue takes none of Python's, so no order of locks can block.
void install_log();

/// Hands queued lines to Python's logging. Needs the GIL; called whenever the module holds it between two steps of
/// work. Throws py::error_already_set if a logging handler raises.
void drain_log();

/// Whether lines are waiting. Needs no GIL.
bool log_is_waiting();

/// The newest of the waiting lines that is an error, without its line break; "" if none is. Needs no GIL.
std::string last_logged_error();

}  // namespace speech::python
