// A HostObject made of named methods and properties. It keeps what they use alive, also when a method is taken out of
// it.
#pragma once

#include <jsi/jsi.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// An app that includes this shows none of it, however it is compiled.
#pragma GCC visibility push(hidden)

namespace speech::js {

/// Arguments of a call; those that are missing are undefined.
class Arguments {
 public:
  Arguments(const facebook::jsi::Value* values, std::size_t count) : values_(values), count_(count) {}

  const facebook::jsi::Value& operator[](std::size_t i) const { return i < count_ ? values_[i] : undefined_; }

 private:
  const facebook::jsi::Value* values_;
  std::size_t count_;
  facebook::jsi::Value undefined_;
};

using MethodBody = std::function<facebook::jsi::Value(facebook::jsi::Runtime&, const Arguments&)>;
using PropertyBody = std::function<facebook::jsi::Value(facebook::jsi::Runtime&)>;

/// One method: how many arguments it says it has, and what it does. What it throws becomes a typed error.
struct HostMethod {
  unsigned n_arguments;
  MethodBody body;
};

/// A function of JavaScript that does what the method does.
facebook::jsi::Function function_of(facebook::jsi::Runtime& rt, const std::string& name, const HostMethod& method);

class MemberObject : public facebook::jsi::HostObject {
 public:
  MemberObject(std::map<std::string, PropertyBody> properties, std::map<std::string, HostMethod> methods)
      : properties_(std::move(properties)), methods_(std::move(methods)) {}

  facebook::jsi::Value get(facebook::jsi::Runtime& rt, const facebook::jsi::PropNameID& name) override;
  std::vector<facebook::jsi::PropNameID> getPropertyNames(facebook::jsi::Runtime& rt) override;

 private:
  std::map<std::string, PropertyBody> properties_;
  std::map<std::string, HostMethod> methods_;
};

/// A callback of the caller's: a function, or undefined for none. Throws Refusal.
std::optional<facebook::jsi::Function> callback_from(facebook::jsi::Runtime& rt, const facebook::jsi::Value& value,
                                                     const std::string& path);

}  // namespace speech::js

#pragma GCC visibility pop
