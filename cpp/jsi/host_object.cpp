// Implements host_object.h.
#include "host_object.h"

#include "js_errors.h"
#include "object_reader.h"

namespace speech::js {

namespace jsi = facebook::jsi;

jsi::Function function_of(jsi::Runtime& rt, const std::string& name, const HostMethod& method) {
  return jsi::Function::createFromHostFunction(
      rt, jsi::PropNameID::forAscii(rt, name), method.n_arguments,
      [body = method.body](jsi::Runtime& inner, const jsi::Value&, const jsi::Value* values, std::size_t count) {
        return guarded(inner, [&] { return body(inner, Arguments(values, count)); });
      });
}

jsi::Value MemberObject::get(jsi::Runtime& rt, const jsi::PropNameID& name) {
  const std::string wanted = name.utf8(rt);
  if (const auto property = properties_.find(wanted); property != properties_.end()) {
    return guarded(rt, [&] { return property->second(rt); });
  }
  const auto method = methods_.find(wanted);
  if (method == methods_.end()) return jsi::Value::undefined();
  return function_of(rt, wanted, method->second);
}

std::vector<jsi::PropNameID> MemberObject::getPropertyNames(jsi::Runtime& rt) {
  std::vector<jsi::PropNameID> names;
  names.reserve(properties_.size() + methods_.size());
  for (const auto& [name, body] : properties_) names.push_back(jsi::PropNameID::forAscii(rt, name));
  for (const auto& [name, method] : methods_) names.push_back(jsi::PropNameID::forAscii(rt, name));
  return names;
}

std::optional<jsi::Function> callback_from(jsi::Runtime& rt, const jsi::Value& value, const std::string& path) {
  if (value.isUndefined()) return std::nullopt;
  if (!value.isObject() || !value.getObject(rt).isFunction(rt)) refuse(rt, value, path, "a function");
  return value.getObject(rt).getFunction(rt);
}

}  // namespace speech::js
