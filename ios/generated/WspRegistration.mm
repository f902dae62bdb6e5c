// Generated from templates/ios/registration.mm.j2 by `wsp generate`; do not edit.
//
// Tells React Native how the native module is made, before JavaScript asks for it.
#import <Foundation/Foundation.h>

#include <ReactCommon/CxxTurboModuleUtils.h>

#include <memory>

#include "module.h"

@interface WspRegistration : NSObject
@end

@implementation WspRegistration

+ (void)load {
  facebook::react::registerCxxModuleToGlobalModuleMap(
      "Wsp", [](std::shared_ptr<facebook::react::CallInvoker> invoker) -> std::shared_ptr<facebook::react::TurboModule> {
        return std::make_shared<speech::js::Module>(std::move(invoker));
      });
}

@end
