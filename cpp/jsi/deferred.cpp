// Implements deferred.h.
#include "deferred.h"

#include <react/bridging/LongLivedObject.h>

#include <utility>

#include "js_errors.h"

namespace speech::js {

namespace jsi = facebook::jsi;
using facebook::react::CallInvoker;
using facebook::react::LongLivedObject;
using facebook::react::LongLivedObjectCollection;

/// What belongs to the runtime; made, used and destroyed on its thread.
class Deferred::Functions : public LongLivedObject {
 public:
  Functions(jsi::Runtime& rt, std::optional<jsi::Function> on_event, std::function<void()> abandon)
      : LongLivedObject(rt), on_event_(std::move(on_event)), abandon_(std::move(abandon)) {}
  ~Functions() override {
    if (!settled_ && abandon_) abandon_();
  }

  void set(jsi::Function resolve, jsi::Function reject) {
    resolve_ = std::move(resolve);
    reject_ = std::move(reject);
  }

  void event(jsi::Runtime& rt, const MakeValue& make) {
    if (settled_ || failure_ || !on_event_) return;
    try {
      on_event_->call(rt, make(rt));
    } catch (const jsi::JSError& error) {
      failure_ = jsi::Value(rt, error.value());
      if (abandon_) abandon_();
    }
  }

  void resolve(jsi::Runtime& rt, const MakeValue& make) {
    if (settled_) return;
    settled_ = true;
    if (failure_) {
      reject_->call(rt, *failure_);
    } else {
      resolve_->call(rt, make(rt));
    }
    allowRelease();
  }

  void reject(jsi::Runtime& rt, const Refusal& refusal) {
    if (settled_) return;
    settled_ = true;
    reject_->call(rt, failure_ ? jsi::Value(rt, *failure_) : error_of(rt, refusal));
    allowRelease();
  }

 private:
  std::optional<jsi::Function> resolve_;
  std::optional<jsi::Function> reject_;
  std::optional<jsi::Function> on_event_;
  std::optional<jsi::Value> failure_;
  std::function<void()> abandon_;
  bool settled_ = false;
};

void Deferred::event(MakeValue make) const {
  invoker_->invokeAsync([weak = functions_, make = std::move(make)](jsi::Runtime& rt) {
    if (const auto functions = weak.lock()) functions->event(rt, make);
  });
}

void Deferred::resolve(MakeValue make) const {
  invoker_->invokeAsync([weak = functions_, make = std::move(make)](jsi::Runtime& rt) {
    if (const auto functions = weak.lock()) functions->resolve(rt, make);
  });
}

void Deferred::reject(Refusal refusal) const {
  invoker_->invokeAsync([weak = functions_, refusal = std::move(refusal)](jsi::Runtime& rt) {
    if (const auto functions = weak.lock()) functions->reject(rt, refusal);
  });
}

DeferredMaker::DeferredMaker(jsi::Runtime& rt, std::shared_ptr<CallInvoker> invoker,
                             std::optional<jsi::Function> on_event, std::function<void()> abandon) {
  const auto functions = std::make_shared<Deferred::Functions>(rt, std::move(on_event), std::move(abandon));
  const auto executor = jsi::Function::createFromHostFunction(
      rt, jsi::PropNameID::forAscii(rt, "executor"), 2,
      [weak = std::weak_ptr(functions)](jsi::Runtime& inner, const jsi::Value&, const jsi::Value* args, std::size_t) {
        // Called before the constructor returns.
        weak.lock()->set(args[0].asObject(inner).asFunction(inner), args[1].asObject(inner).asFunction(inner));
        return jsi::Value::undefined();
      });
  promise = rt.global().getPropertyAsFunction(rt, "Promise").callAsConstructor(rt, executor);
  LongLivedObjectCollection::get(rt).add(functions);
  deferred.functions_ = functions;
  deferred.invoker_ = std::move(invoker);
}

jsi::Value rejected(jsi::Runtime& rt, const Refusal& refusal) {
  const jsi::Object promise = rt.global().getPropertyAsObject(rt, "Promise");
  return promise.getPropertyAsFunction(rt, "reject").callWithThis(rt, promise, error_of(rt, refusal));
}

}  // namespace speech::js
