// What React Native's Gradle plugin writes into an app for a package with a C++ module, exported for a look at it.
#include <NativeWsp.h>
#include <ReactCommon/TurboModule.h>

namespace facebook {
namespace react {
__attribute__((visibility("default"))) std::shared_ptr<TurboModule> autolinking_cxxModuleProvider(
    const std::string moduleName, const std::shared_ptr<CallInvoker>& jsInvoker) {
  if (moduleName == NativeWsp::kModuleName) {
    return std::make_shared<NativeWsp>(jsInvoker);
  }
  return nullptr;
}
}  // namespace react
}  // namespace facebook
