// Implements module_methods.h.
#include "module_methods.h"

#include <utility>

#include "deferred.h"
#include "generated/converters.h"
#include "log_listener.h"
#include "model_object.h"
#include "object_reader.h"
#include "object_writer.h"
#include "session.h"

namespace speech::js {

namespace jsi = facebook::jsi;
using facebook::react::CallInvoker;

namespace {

/// What all methods share.
struct Place {
  std::shared_ptr<CallInvoker> invoker;
  std::shared_ptr<WorkerGroup> workers;
};

/// Tells what came of a task.
using Tell = std::function<void()>;

/// A function as a job that nobody can cancel.
class TaskJob : public Job {
 public:
  explicit TaskJob(std::function<Tell()> task) : task_(std::move(task)) {}
  void run() noexcept override { tell_ = std::exchange(task_, nullptr)(); }
  void settle() noexcept override { std::exchange(tell_, nullptr)(); }
  void skip(Skipped) noexcept override {}

 private:
  std::function<Tell()> task_;
  Tell tell_;
};

/// Loads a Model on the thread that will work for it, and gives a promise of its object.
template <typename Model>
jsi::Value open(jsi::Runtime& rt, const Place& place, std::function<std::shared_ptr<Model>()> load,
                jsi::Value (*object_of)(jsi::Runtime&, std::shared_ptr<CallInvoker>, std::shared_ptr<Model>,
                                        std::shared_ptr<JobQueue>)) {
  const auto model = std::make_shared<std::shared_ptr<Model>>();
  // Before the promise: there may be no further thread.
  const auto queue = std::make_shared<JobQueue>(place.workers, [model] {
    if (*model) (*model)->close();
  });
  DeferredMaker made(rt, place.invoker, std::nullopt, nullptr);
  queue->push(std::make_shared<TaskJob>([deferred = made.deferred, invoker = place.invoker, load = std::move(load),
                                         model, queue, object_of]() -> Tell {
                try {
                  *model = load();
                } catch (...) {
                  return [deferred, refusal = current_refusal()] { deferred.reject(refusal); };
                }
                return [deferred, invoker, loaded = *model, queue, object_of] {
                  deferred.resolve([invoker, loaded, queue, object_of](jsi::Runtime& inner) {
                    return object_of(inner, invoker, loaded, queue);
                  });
                };
              }),
              0);
  return std::move(made.promise);
}

std::shared_ptr<const Source> source_from(jsi::Runtime& rt, const jsi::Value& value) {
  if (value.isUndefined()) refuse(rt, value, "source", "an object");
  return std::make_shared<const Source>(read_source(rt, value, "source"));
}

std::string path_from(jsi::Runtime& rt, const jsi::Value& value) {
  std::string path = text_from(rt, value, "path");
  if (path.empty()) refuse(rt, value, "path", "a path");
  return path;
}

jsi::Value memory_estimate(jsi::Runtime& rt, const Place& place, const std::string& path) {
  JobQueue once(place.workers, nullptr);
  DeferredMaker made(rt, place.invoker, std::nullopt, nullptr);
  once.push(std::make_shared<TaskJob>([deferred = made.deferred, path]() -> Tell {
              try {
                const MemoryEstimate estimate = estimate_memory(path);
                return [deferred, estimate] {
                  deferred.resolve([estimate](jsi::Runtime& inner) { return to_js(inner, estimate); });
                };
              } catch (...) {
                return [deferred, refusal = current_refusal()] { deferred.reject(refusal); };
              }
            }),
            0);
  return std::move(made.promise);
}

void set_log(jsi::Runtime& rt, const Place& place, const Arguments& args) {
  const LogLevel level = read_enum_LogLevel(rt, args[0], "level");
  auto on_log = callback_from(rt, args[1], "onLog");
  set_log_sink(level, on_log ? log_sink_to(rt, place.invoker, std::move(*on_log)) : LogSink());
}

}  // namespace

std::map<std::string, HostMethod> module_methods(std::shared_ptr<CallInvoker> invoker,
                                                 std::shared_ptr<WorkerGroup> workers) {
  const Place place{std::move(invoker), std::move(workers)};
  const auto contract = [](jsi::Runtime& rt, const Arguments&) {
    return to_js(rt, Contract{.major = kContractMajor, .minor = kContractMinor});
  };
  const auto info = [](jsi::Runtime& rt, const Arguments&) { return to_js(rt, system_info()); };
  const auto all_languages = [](jsi::Runtime& rt, const Arguments&) {
    return jsi::Value(list_to_js(rt, languages(), [&rt](const Language& one) { return to_js(rt, one); }));
  };
  const auto estimate = [place](jsi::Runtime& rt, const Arguments& args) {
    return promised(rt, [&] { return memory_estimate(rt, place, path_from(rt, args[0])); });
  };
  const auto open_context = [place](jsi::Runtime& rt, const Arguments& args) {
    return promised(rt, [&] {
      const auto source = source_from(rt, args[0]);
      const ContextOptions options = read_context_options(rt, args[1], "options");
      const auto load = [source, options] { return std::make_shared<Session>(*source, options); };
      return open<Session>(rt, place, load, &context_object);
    });
  };
  const auto open_vad = [place](jsi::Runtime& rt, const Arguments& args) {
    return promised(rt, [&] {
      const auto source = source_from(rt, args[0]);
      return open<VadSession>(rt, place, [source] { return std::make_shared<VadSession>(*source); }, &vad_object);
    });
  };
  const auto log = [place](jsi::Runtime& rt, const Arguments& args) {
    set_log(rt, place, args);
    return jsi::Value::undefined();
  };
  return {{"contract", {0, contract}},
          {"systemInfo", {0, info}},
          {"languages", {0, all_languages}},
          {"estimateMemory", {1, estimate}},
          {"openContext", {2, open_context}},
          {"openVad", {1, open_vad}},
          {"setLog", {2, log}}};
}

}  // namespace speech::js
