// Errors as JavaScript sees them: an Error with name, message, code and, where there is one, field.
#pragma once

#include <jsi/jsi.h>

#include "errors.h"

namespace speech::js {

/// The Error object.
facebook::jsi::Value error_of(facebook::jsi::Runtime& rt, const Refusal& refusal);

/// Runs the body of a function that JavaScript calls: what it throws becomes a typed error; errors of JavaScript pass.
template <typename Body>
facebook::jsi::Value guarded(facebook::jsi::Runtime& rt, const Body& body) {
  try {
    return body();
  } catch (const facebook::jsi::JSIException&) {
    throw;
  } catch (...) {
    throw facebook::jsi::JSError(rt, error_of(rt, current_refusal()));
  }
}

}  // namespace speech::js
