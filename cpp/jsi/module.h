// The native module as React Native's: a C++ TurboModule, made once per runtime.
#pragma once

#include <ReactCommon/TurboModule.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "generated/contract.h"
#include "host_object.h"
#include "job_queue.h"

// An app that includes this shows none of it, however it is compiled.
#pragma GCC visibility push(hidden)

namespace speech::js {

class Module : public facebook::react::TurboModule {
 public:
  static constexpr std::string_view kModuleName = speech::js::kModuleName;

  explicit Module(std::shared_ptr<facebook::react::CallInvoker> invoker)
      : Module(std::move(invoker), std::make_shared<WorkerGroup>()) {}

  /// workers: counts the threads of the module's objects, for a program that ends.
  Module(std::shared_ptr<facebook::react::CallInvoker> invoker, std::shared_ptr<WorkerGroup> workers);

  std::vector<facebook::jsi::PropNameID> getPropertyNames(facebook::jsi::Runtime& rt) override;

 protected:
  facebook::jsi::Value create(facebook::jsi::Runtime& rt, const facebook::jsi::PropNameID& name) override;

 private:
  std::map<std::string, HostMethod> methods_;
};

}  // namespace speech::js

#pragma GCC visibility pop
