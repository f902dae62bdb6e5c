// The objects by which JavaScript holds a loaded model: a context or a voice activity model.
#pragma once

#include <ReactCommon/CallInvoker.h>
#include <jsi/jsi.h>

#include <memory>

#include "job_queue.h"
#include "session.h"

namespace speech::js {

/// Makes the object of a context. The session is closed on the queue's thread.
facebook::jsi::Value context_object(facebook::jsi::Runtime& rt, std::shared_ptr<facebook::react::CallInvoker> invoker,
                                    std::shared_ptr<Session> session, std::shared_ptr<JobQueue> queue);

/// Makes the object of a voice activity model; likewise.
facebook::jsi::Value vad_object(facebook::jsi::Runtime& rt, std::shared_ptr<facebook::react::CallInvoker> invoker,
                                std::shared_ptr<VadSession> session, std::shared_ptr<JobQueue> queue);

}  // namespace speech::js
