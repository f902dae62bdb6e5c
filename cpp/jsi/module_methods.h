// What the native module does, apart from being React Native's: by name, so that a host without TurboModules can use
// it.
#pragma once

#include <ReactCommon/CallInvoker.h>

#include <map>
#include <memory>
#include <string>

#include "host_object.h"
#include "job_queue.h"

namespace speech::js {

/// The methods of the module. workers: counts the threads that its objects have.
std::map<std::string, HostMethod> module_methods(std::shared_ptr<facebook::react::CallInvoker> invoker,
                                                 std::shared_ptr<WorkerGroup> workers);

}  // namespace speech::js
