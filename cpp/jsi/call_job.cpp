// Implements call_job.h.
#include "call_job.h"

namespace speech::js {

namespace jsi = facebook::jsi;

namespace {

double next_id() {
  static std::atomic<std::uint64_t> last{0};
  return static_cast<double>(++last);
}

}  // namespace

jsi::Value job_object(jsi::Runtime& rt, jsi::Value promise, const std::weak_ptr<JobQueue>& queue,
                      const std::weak_ptr<Job>& job) {
  jsi::Object object(rt);
  object.setProperty(rt, "id", next_id());
  object.setProperty(rt, "promise", std::move(promise));
  auto cancel = jsi::Function::createFromHostFunction(
      rt, jsi::PropNameID::forAscii(rt, "cancel"), 0,
      [queue, job](jsi::Runtime&, const jsi::Value&, const jsi::Value*, std::size_t) {
        const auto held = job.lock();
        if (!held) return jsi::Value::undefined();
        if (const auto waiting_in = queue.lock()) {
          waiting_in->cancel(held);
        } else {
          held->cancel();
        }
        return jsi::Value::undefined();
      });
  object.setProperty(rt, "cancel", std::move(cancel));
  return object;
}

}  // namespace speech::js
