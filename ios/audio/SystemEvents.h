// What the system asks of an app that holds a model: memory is short, the app goes into the background or comes back. It
// knows neither React Native nor the core.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

// Without NS_ENUM, which is a macro: the names get the prefix where the package is made.
typedef enum __attribute__((enum_extensibility(open))) SpeechSystemEvent : NSInteger {
  /// Free what is not in use, or the app may be ended.
  SpeechSystemEventMemoryIsShort = 0,
  /// The GPU is taken away in a moment, and soon the processor.
  SpeechSystemEventEnteredBackground = 1,
  SpeechSystemEventEntersForeground = 2,
} SpeechSystemEvent;

/// Observes as long as it lives; the handler is called on the main thread.
@interface SpeechSystemEvents : NSObject

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithHandler:(void (^)(SpeechSystemEvent event))handler NS_DESIGNATED_INITIALIZER;

@end

NS_ASSUME_NONNULL_END
