// Implements js_errors.h.
#include "js_errors.h"

#include "utf8.h"

namespace speech::js {

namespace jsi = facebook::jsi;

jsi::Value error_of(jsi::Runtime& rt, const Refusal& refusal) {
  const auto text = [&rt](const std::string& value) { return jsi::String::createFromUtf8(rt, valid_utf8(value)); };
  jsi::Object error =
      rt.global().getPropertyAsFunction(rt, "Error").callAsConstructor(rt, text(refusal.message)).asObject(rt);
  error.setProperty(rt, "name", jsi::String::createFromAscii(rt, "WspError"));
  error.setProperty(rt, "code", text(refusal.code));
  if (!refusal.field.empty()) error.setProperty(rt, "field", text(refusal.field));
  return error;
}

}  // namespace speech::js
