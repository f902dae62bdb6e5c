// Implements log_listener.h.
#include "log_listener.h"

#include <react/bridging/LongLivedObject.h>

#include <utility>

#include "object_writer.h"

namespace speech::js {

namespace jsi = facebook::jsi;
using facebook::react::CallInvoker;
using facebook::react::LongLivedObject;
using facebook::react::LongLivedObjectCollection;

namespace {

class Listener : public LongLivedObject {
 public:
  Listener(jsi::Runtime& rt, jsi::Function on_log) : LongLivedObject(rt), on_log_(std::move(on_log)) {}
  ~Listener() override = default;

  void tell(jsi::Runtime& rt, LogLevel level, const std::string& text) const {
    try {
      on_log_.call(rt, to_js(rt, kLogLevelNames[static_cast<std::size_t>(level)]), to_js(rt, std::string_view(text)));
    } catch (const jsi::JSError&) {  // NOLINT(bugprone-empty-catch)
      // Nobody waits for it.
    }
  }

 private:
  jsi::Function on_log_;
};

/// The sink's end of it: lets the function go on its thread when the sink is gone.
struct Hold {
  std::weak_ptr<Listener> listener;
  std::shared_ptr<CallInvoker> invoker;

  Hold(std::weak_ptr<Listener> held, std::shared_ptr<CallInvoker> by)
      : listener(std::move(held)), invoker(std::move(by)) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    invoker->invokeAsync([weak = listener](jsi::Runtime&) {
      if (const auto held = weak.lock()) held->allowRelease();
    });
  }
};

}  // namespace

LogSink log_sink_to(jsi::Runtime& rt, std::shared_ptr<CallInvoker> invoker, jsi::Function on_log) {
  const auto listener = std::make_shared<Listener>(rt, std::move(on_log));
  LongLivedObjectCollection::get(rt).add(listener);
  const auto hold = std::make_shared<const Hold>(listener, std::move(invoker));
  return [hold](LogLevel level, std::string text) {
    hold->invoker->invokeAsync([weak = hold->listener, level, line = std::move(text)](jsi::Runtime& inner) {
      if (const auto held = weak.lock()) held->tell(inner, level, line);
    });
  };
}

}  // namespace speech::js
