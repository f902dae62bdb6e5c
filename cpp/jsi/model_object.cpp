// Implements model_object.h: arguments are checked and copied here, on JavaScript's thread; all else is a job.
#include "model_object.h"

#include <chrono>
#include <string>
#include <utility>

#include "audio_input.h"
#include "call_job.h"
#include "generated/converters.h"
#include "host_object.h"
#include "object_reader.h"
#include "object_writer.h"

namespace speech::js {

namespace jsi = facebook::jsi;
using facebook::react::CallInvoker;

namespace {

/// What the methods of an object share.
template <typename Model>
struct Shared {
  std::shared_ptr<CallInvoker> invoker;
  std::shared_ptr<Model> model;
  std::shared_ptr<JobQueue> queue;
  // Of JavaScript's thread; the object that holds it dies with the runtime at the latest.
  std::optional<jsi::Value> released;
};

int rank(Priority priority) { return static_cast<int>(priority); }

/// Audio, checked as far as that goes without decoding it. Shared, since the function of a job can be copied.
std::shared_ptr<const Audio> audio_from(jsi::Runtime& rt, const jsi::Value& value) {
  if (value.isUndefined()) refuse(rt, value, "audio", "an object");
  Audio audio = read_audio(rt, value, "audio");
  check_audio(audio);
  return std::make_shared<const Audio>(std::move(audio));
}

/// Queues work whose result is cancelled from the start if its turn never comes.
template <typename Result, typename Model>
jsi::Value queue_work(jsi::Runtime& rt, const std::shared_ptr<Shared<Model>>& shared, Priority priority,
                      typename CallJob<Result>::Work work, std::optional<jsi::Function> on_event = std::nullopt) {
  Result when_cancelled;
  when_cancelled.is_cancelled = true;
  const typename CallJob<Result>::Convert convert = &to_js;
  auto job = std::make_shared<CallJob<Result>>(std::move(work), std::move(when_cancelled), convert);
  return queue_job<Result>(rt, shared->invoker, shared->queue, rank(priority), std::move(job), std::move(on_event));
}

template <typename Model>
jsi::Value release(jsi::Runtime& rt, const std::shared_ptr<Shared<Model>>& shared) {
  if (!shared->released) {
    DeferredMaker made(rt, shared->invoker, std::nullopt, nullptr);
    shared->released = std::move(made.promise);
    shared->queue->close(
        [deferred = made.deferred] { deferred.resolve([](jsi::Runtime&) { return jsi::Value::undefined(); }); });
  }
  return {rt, *shared->released};
}

template <typename Model>
std::map<std::string, PropertyBody> queue_properties(const std::shared_ptr<Shared<Model>>& shared) {
  return {{"isReleased", [shared](jsi::Runtime&) { return jsi::Value(shared->queue->is_closed()); }},
          {"nJobs", [shared](jsi::Runtime&) { return jsi::Value(shared->queue->n_jobs()); }}};
}

}  // namespace

jsi::Value context_object(jsi::Runtime& rt, std::shared_ptr<CallInvoker> invoker, std::shared_ptr<Session> session,
                          std::shared_ptr<JobQueue> queue) {
  const auto shared = std::make_shared<Shared<Session>>();
  shared->invoker = std::move(invoker);
  shared->model = std::move(session);
  shared->queue = std::move(queue);

  std::map<std::string, PropertyBody> properties = queue_properties(shared);
  properties["info"] = [shared](jsi::Runtime& inner) { return to_js(inner, shared->model->info()); };

  const auto transcribe = [shared](jsi::Runtime& inner, const Arguments& args) {
    const auto audio = audio_from(inner, args[0]);
    const auto call = std::make_shared<const TranscribeCall>(read_transcribe_call(inner, args[1], "options"));
    auto on_event = callback_from(inner, args[2], "onEvent");
    const bool listens = on_event.has_value();
    const auto called = std::chrono::steady_clock::now();
    return queue_work<Transcription>(
        inner, shared, call->priority,
        [session = shared->model, audio, call, listens, called](const Job& job, const Deferred& deferred) {
          const std::chrono::duration<double, std::milli> queued = std::chrono::steady_clock::now() - called;
          EventSink sink;
          if (listens) {
            sink = [&deferred](TranscribeEvent event) {
              const auto kept = std::make_shared<const TranscribeEvent>(std::move(event));
              deferred.event([kept](jsi::Runtime& other) { return to_js(other, *kept); });
            };
          }
          return session->transcribe(*audio, *call, sink, job.cancelled(), queued.count());
        },
        std::move(on_event));
  };
  const auto detect_language = [shared](jsi::Runtime& inner, const Arguments& args) {
    const auto audio = audio_from(inner, args[0]);
    const LanguageCall call = read_language_call(inner, args[1], "options");
    return queue_work<LanguageDetection>(inner, shared, call.priority,
                                         [session = shared->model, audio, call](const Job& job, const Deferred&) {
                                           return session->detect_language(*audio, call, job.cancelled());
                                         });
  };
  const auto bench = [shared](jsi::Runtime& inner, const Arguments& args) {
    const BenchCall call = read_bench_call(inner, args[0], "options");
    return queue_work<BenchResult>(inner, shared, Priority::kNormal,
                                   [session = shared->model, call](const Job& job, const Deferred&) {
                                     return session->bench(call, job.cancelled());
                                   });
  };
  const auto tokenize = [shared](jsi::Runtime& inner, const Arguments& args) {
    const std::string text = text_from(inner, args[0], "text");
    if (shared->queue->is_closed()) throw Refusal(code::kReleased, "", "the context was released");
    return jsi::Value(list_to_js(inner, shared->model->tokenize(text), [](int id) { return jsi::Value(id); }));
  };
  std::map<std::string, HostMethod> methods = {
      {"transcribe", {3, transcribe}},
      {"detectLanguage", {2, detect_language}},
      {"bench", {1, bench}},
      {"tokenize", {1, tokenize}},
      {"release", {0, [shared](jsi::Runtime& inner, const Arguments&) { return release(inner, shared); }}}};
  return jsi::Object::createFromHostObject(rt,
                                           std::make_shared<MemberObject>(std::move(properties), std::move(methods)));
}

jsi::Value vad_object(jsi::Runtime& rt, std::shared_ptr<CallInvoker> invoker, std::shared_ptr<VadSession> session,
                      std::shared_ptr<JobQueue> queue) {
  const auto shared = std::make_shared<Shared<VadSession>>();
  shared->invoker = std::move(invoker);
  shared->model = std::move(session);
  shared->queue = std::move(queue);

  const auto detect = [shared](jsi::Runtime& inner, const Arguments& args) {
    const auto audio = audio_from(inner, args[0]);
    const VadCall call = read_vad_call(inner, args[1], "options");
    return queue_work<SpeechDetection>(inner, shared, call.priority,
                                       [model = shared->model, audio, call](const Job& job, const Deferred&) {
                                         return model->detect(*audio, call, job.cancelled());
                                       });
  };
  std::map<std::string, HostMethod> methods = {
      {"detect", {2, detect}},
      {"release", {0, [shared](jsi::Runtime& inner, const Arguments&) { return release(inner, shared); }}}};
  return jsi::Object::createFromHostObject(
      rt, std::make_shared<MemberObject>(queue_properties(shared), std::move(methods)));
}

}  // namespace speech::js
