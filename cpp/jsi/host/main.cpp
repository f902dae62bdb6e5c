// Runs scripts in JavaScriptCore with the native module installed as React Native installs it. For tests.
//
// Usage: jsi_host SCRIPT... [-- ARGUMENT...]
//
// Scripts see: recorded() (the last call of the recording core), probed() and holdCore(nthQuestion) (core_probe.h),
// print(text), setTimeout(function, ms), sleep(ms) (which blocks), readFile(path) -> ArrayBuffer, args, exit(code), and
// reload(path), which ends the runtime in the middle of whatever runs and goes on with a script in a new one. Exit code
// 3 if nobody called exit() in time, 4 for an error that nobody caught.
#include <JSCRuntime.h>
#include <ReactCommon/TurboModuleBinding.h>
#include <jsi/jsi.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core_probe.h"
#include "event_loop.h"
#include "module.h"
#include "recorded_call.h"

namespace speech::js::host {
namespace {

namespace jsi = facebook::jsi;
using facebook::react::TurboModule;
using facebook::react::TurboModuleBinding;

// Longer than any single job of a script takes under a sanitizer on a busy machine.
constexpr std::chrono::minutes kLimit{15};
constexpr int kNoExit = 3;
constexpr int kUncaught = 4;

struct Outcome {
  int exit_code = kNoExit;
  std::string next_script;
};

std::string read_all(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void define(jsi::Runtime& rt, const char* name, unsigned n_arguments, jsi::HostFunctionType function) {
  rt.global().setProperty(
      rt, name,
      jsi::Function::createFromHostFunction(rt, jsi::PropNameID::forAscii(rt, name), n_arguments, std::move(function)));
}

void install_host(jsi::Runtime& rt, const std::shared_ptr<EventLoop>& loop, Outcome& outcome,
                  const std::vector<std::string>& arguments) {
  define(rt, "print", 1, [](jsi::Runtime& r, const jsi::Value&, const jsi::Value* args, size_t) {
    std::printf("%s\n", args[0].toString(r).utf8(r).c_str());
    std::fflush(stdout);
    return jsi::Value::undefined();
  });
  define(rt, "setTimeout", 2, [loop](jsi::Runtime& r, const jsi::Value&, const jsi::Value* args, size_t count) {
    const auto function = std::make_shared<jsi::Function>(args[0].asObject(r).asFunction(r));
    const double ms = count > 1 ? args[1].asNumber() : 0.0;
    loop->after(std::chrono::milliseconds(static_cast<int>(ms)),
                [function](jsi::Runtime& inner) { function->call(inner); });
    return jsi::Value::undefined();
  });
  define(rt, "sleep", 1, [](jsi::Runtime&, const jsi::Value&, const jsi::Value* args, size_t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<int>(args[0].asNumber())));
    return jsi::Value::undefined();
  });
  define(rt, "readFile", 1, [](jsi::Runtime& r, const jsi::Value&, const jsi::Value* args, size_t) {
    const std::string bytes = read_all(args[0].asString(r).utf8(r));
    // The engine's own buffer: JavaScriptCore takes none of ours.
    const jsi::Function constructor = r.global().getPropertyAsFunction(r, "ArrayBuffer");
    jsi::Object buffer = constructor.callAsConstructor(r, static_cast<double>(bytes.size())).asObject(r);
    std::memcpy(buffer.getArrayBuffer(r).data(r), bytes.data(), bytes.size());
    return jsi::Value(std::move(buffer));
  });
  define(rt, "recorded", 0, [](jsi::Runtime& r, const jsi::Value&, const jsi::Value*, size_t) {
    return jsi::Value(jsi::String::createFromUtf8(r, last_recorded()));
  });
  define(rt, "probed", 0, [](jsi::Runtime& r, const jsi::Value&, const jsi::Value*, size_t) {
    return jsi::Value(jsi::String::createFromUtf8(r, probed()));
  });
  define(rt, "holdCore", 1, [](jsi::Runtime&, const jsi::Value&, const jsi::Value* args, size_t) {
    hold_core(static_cast<int>(args[0].asNumber()));
    return jsi::Value::undefined();
  });
  define(rt, "exit", 1, [loop, &outcome](jsi::Runtime&, const jsi::Value&, const jsi::Value* args, size_t) {
    outcome.exit_code = static_cast<int>(args[0].asNumber());
    loop->stop();
    return jsi::Value::undefined();
  });
  define(rt, "reload", 1, [loop, &outcome](jsi::Runtime& r, const jsi::Value&, const jsi::Value* args, size_t) {
    outcome.next_script = args[0].asString(r).utf8(r);
    loop->stop();
    return jsi::Value::undefined();
  });
  jsi::Array list(rt, arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    list.setValueAtIndex(rt, i, jsi::String::createFromUtf8(rt, arguments[i]));
  }
  rt.global().setProperty(rt, "args", list);
}

void install_module(jsi::Runtime& rt, const std::shared_ptr<EventLoop>& loop,
                    const std::shared_ptr<WorkerGroup>& workers) {
  const auto invoker = std::make_shared<LoopInvoker>(loop);
  const auto find = [invoker, workers](const std::string& name) -> std::shared_ptr<TurboModule> {
    if (name == kModuleName) return std::make_shared<Module>(invoker, workers);
    return nullptr;
  };
#if __has_include(<ReactCommon/TurboModuleWithJSIBindings.h>)
  TurboModuleBinding::install(rt, [find](jsi::Runtime&, const std::string& name) { return find(name); });
#else
  TurboModuleBinding::install(rt, find);
#endif
}

/// One runtime from its beginning to its end.
Outcome run(const std::vector<std::string>& scripts, const std::vector<std::string>& arguments,
            const std::shared_ptr<WorkerGroup>& workers) {
  Outcome outcome;
  const auto loop = std::make_shared<EventLoop>();
  const std::unique_ptr<jsi::Runtime> rt = facebook::jsc::makeJSCRuntime();
  install_host(*rt, loop, outcome, arguments);
  install_module(*rt, loop, workers);
  try {
    for (const std::string& script : scripts) {
      rt->evaluateJavaScript(std::make_shared<jsi::StringBuffer>(read_all(script)), script);
    }
    rt->drainMicrotasks();
    loop->run(*rt, kLimit);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "uncaught: %s\n", error.what());
    outcome = {kUncaught, ""};
  }
  loop->clear();
  return outcome;
}

}  // namespace
}  // namespace speech::js::host

int main(int argc, char** argv) {
  std::vector<std::string> scripts;
  std::vector<std::string> arguments;
  bool behind = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--" && !behind) {
      behind = true;
    } else {
      (behind ? arguments : scripts).push_back(word);
    }
  }
  const auto workers = std::make_shared<speech::js::WorkerGroup>();
  speech::js::host::Outcome outcome = speech::js::host::run(scripts, arguments, workers);
  while (!outcome.next_script.empty()) {
    std::vector<std::string> next(scripts.begin(), scripts.end() - 1);
    next.push_back(outcome.next_script);
    outcome = speech::js::host::run(next, arguments, workers);
  }
  if (!workers->wait(std::chrono::minutes(1))) {
    std::fprintf(stderr, "a worker did not end\n");
    return 5;
  }
  return outcome.exit_code;
}
