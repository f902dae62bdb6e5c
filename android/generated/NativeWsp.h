// Generated from templates/android/native_module.h.j2 by `wsp generate`; do not edit.
//
// The native module under the name by which React Native's autolinking makes it: cxxModuleHeaderName of
// react-native.config.js.
#pragma once

#include "module.h"

namespace facebook::react {

using NativeWsp = speech::js::Module;

}  // namespace facebook::react
