// Implements module.h.
#include "module.h"

#include <utility>

#include "module_methods.h"

namespace speech::js {

namespace jsi = facebook::jsi;

Module::Module(std::shared_ptr<facebook::react::CallInvoker> invoker, std::shared_ptr<WorkerGroup> workers)
    : TurboModule(std::string(kModuleName), invoker),
      methods_(module_methods(std::move(invoker), std::move(workers))) {}

jsi::Value Module::create(jsi::Runtime& rt, const jsi::PropNameID& name) {
  const std::string wanted = name.utf8(rt);
  const auto method = methods_.find(wanted);
  if (method == methods_.end()) return jsi::Value::undefined();
  return function_of(rt, wanted, method->second);
}

std::vector<jsi::PropNameID> Module::getPropertyNames(jsi::Runtime& rt) {
  std::vector<jsi::PropNameID> names;
  names.reserve(methods_.size());
  for (const auto& [name, method] : methods_) names.push_back(jsi::PropNameID::forAscii(rt, name));
  return names;
}

}  // namespace speech::js
