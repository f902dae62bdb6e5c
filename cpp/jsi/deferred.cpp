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
  bool is_set() const { return resolve_.has_value(); }

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
    if (failure_) {
      settle(rt, *reject_, *failure_);
      return;
    }
    jsi::Value value;
    try {
      value = make(rt);
    } catch (const jsi::JSError& error) {
      settle(rt, *reject_, error.value());
      return;
    }
    settle(rt, *resolve_, value);
  }

  void reject(jsi::Runtime& rt, const Refusal& refusal) {
    if (!settled_) settle(rt, *reject_, failure_ ? jsi::Value(rt, *failure_) : error_of(rt, refusal));
  }

 private:
  void settle(jsi::Runtime& rt, const jsi::Function& how, const jsi::Value& value) {
    settled_ = true;
    allowRelease();
    how.call(rt, value);
  }

  std::optional<jsi::Function> resolve_;
  std::optional<jsi::Function> reject_;
  std::optional<jsi::Function> on_event_;
  std::optional<jsi::Value> failure_;
  std::function<void()> abandon_;
  bool settled_ = false;
};

namespace {

/// Runs a task of the event loop, which ends the program if it throws. What comes this far is an engine that cannot
/// even make an error, because a script took its globals away: nobody is left to be told.
template <typename Body>
void in_task(const Body& body) noexcept {
  try {
    body();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

}  // namespace

void Deferred::event(MakeValue make) const {
  invoker_->invokeAsync([weak = functions_, make = std::move(make)](jsi::Runtime& rt) {
    const auto functions = weak.lock();
    if (functions) in_task([&] { functions->event(rt, make); });
  });
}

void Deferred::resolve(MakeValue make) const {
  invoker_->invokeAsync([weak = functions_, make = std::move(make)](jsi::Runtime& rt) {
    const auto functions = weak.lock();
    if (functions) in_task([&] { functions->resolve(rt, make); });
  });
}

void Deferred::reject(Refusal refusal) const {
  invoker_->invokeAsync([weak = functions_, refusal = std::move(refusal)](jsi::Runtime& rt) {
    const auto functions = weak.lock();
    if (functions) in_task([&] { functions->reject(rt, refusal); });
  });
}

DeferredMaker::DeferredMaker(jsi::Runtime& rt, std::shared_ptr<CallInvoker> invoker,
                             std::optional<jsi::Function> on_event, std::function<void()> abandon) {
  const auto functions = std::make_shared<Deferred::Functions>(rt, std::move(on_event), std::move(abandon));
  const auto executor = jsi::Function::createFromHostFunction(
      rt, jsi::PropNameID::forAscii(rt, "executor"), 2,
      [weak = std::weak_ptr(functions)](jsi::Runtime& inner, const jsi::Value&, const jsi::Value* args,
                                        std::size_t count) {
        // Called before the constructor returns, and once; but a Promise that is not the engine's may do anything.
        const auto held = weak.lock();
        if (held && !held->is_set() && count >= 2) {
          held->set(args[0].asObject(inner).asFunction(inner), args[1].asObject(inner).asFunction(inner));
        }
        return jsi::Value::undefined();
      });
  promise = rt.global().getPropertyAsFunction(rt, "Promise").callAsConstructor(rt, executor);
  if (!functions->is_set()) throw Refusal(code::kInternal, "", "Promise of this engine does not call its executor");
  LongLivedObjectCollection::get(rt).add(functions);
  deferred.functions_ = functions;
  deferred.invoker_ = std::move(invoker);
}

jsi::Value rejected(jsi::Runtime& rt, const Refusal& refusal) {
  const jsi::Object promise = rt.global().getPropertyAsObject(rt, "Promise");
  return promise.getPropertyAsFunction(rt, "reject").callWithThis(rt, promise, error_of(rt, refusal));
}

}  // namespace speech::js
