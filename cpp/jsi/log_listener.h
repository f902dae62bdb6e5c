// A function of JavaScript as a sink of the log.
#pragma once

#include <ReactCommon/CallInvoker.h>
#include <jsi/jsi.h>

#include <memory>

#include "log_relay.h"

namespace speech::js {

/// Calls the function with level and text, on the runtime's thread, for as long as the sink and the runtime live. What
/// it throws is dropped: no call waits for it.
LogSink log_sink_to(facebook::jsi::Runtime& rt, std::shared_ptr<facebook::react::CallInvoker> invoker,
                    facebook::jsi::Function on_log);

}  // namespace speech::js
