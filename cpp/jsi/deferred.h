// A promise that a worker settles, with the events before it. JavaScript's values stay in the runtime's own collection
// of long-lived objects, and workers hold weak references only: a runtime that is torn down takes them along, and what
// comes afterwards finds nothing.
#pragma once

#include <ReactCommon/CallInvoker.h>
#include <jsi/jsi.h>

#include <functional>
#include <memory>
#include <optional>

#include "errors.h"

namespace speech::js {

/// Makes a value on the runtime's thread.
using MakeValue = std::function<facebook::jsi::Value(facebook::jsi::Runtime&)>;

/// The worker's side of a promise. Every function may be called from any thread, returns at once and never throws.
class Deferred {
 public:
  /// Calls of the event function come in this order and before the promise is settled. If it throws, the abandon
  /// function is called, no further event comes, and the promise rejects with what it threw.
  void event(MakeValue make) const;

  /// The first call settles the promise.
  void resolve(MakeValue make) const;
  void reject(Refusal refusal) const;

 private:
  friend class DeferredMaker;
  class Functions;

  std::weak_ptr<Functions> functions_;
  std::shared_ptr<facebook::react::CallInvoker> invoker_;
};

/// A promise and the worker's side of it.
class DeferredMaker {
 public:
  /// on_event: called with each event; none if nobody listens. abandon: called on the runtime's thread when the result
  /// is no longer wanted, because an event function threw or the runtime ends.
  DeferredMaker(facebook::jsi::Runtime& rt, std::shared_ptr<facebook::react::CallInvoker> invoker,
                std::optional<facebook::jsi::Function> on_event, std::function<void()> abandon);

  facebook::jsi::Value promise;
  Deferred deferred;
};

/// A promise that is rejected already.
facebook::jsi::Value rejected(facebook::jsi::Runtime& rt, const Refusal& refusal);

/// Runs the body of a function that gives a promise: what it throws rejects the promise.
template <typename Body>
facebook::jsi::Value promised(facebook::jsi::Runtime& rt, const Body& body) {
  try {
    return body();
  } catch (const facebook::jsi::JSIException&) {
    throw;
  } catch (...) {
    return rejected(rt, current_refusal());
  }
}

}  // namespace speech::js
