// Implements SystemEvents.h.
#import "SystemEvents.h"

// By their values, so that no interface of one system alone is linked: macOS has others, and an extension has none.
static NSString *const kDidEnterBackground = @"UIApplicationDidEnterBackgroundNotification";
static NSString *const kWillEnterForeground = @"UIApplicationWillEnterForegroundNotification";

@implementation SpeechSystemEvents {
  void (^_handler)(SpeechSystemEvent);
  dispatch_source_t _memory;
}

- (instancetype)initWithHandler:(void (^)(SpeechSystemEvent))handler {
  if ((self = [super init])) {
    _handler = [handler copy];
    NSNotificationCenter *center = NSNotificationCenter.defaultCenter;
    [center addObserver:self selector:@selector(enteredBackground:) name:kDidEnterBackground object:nil];
    [center addObserver:self selector:@selector(entersForeground:) name:kWillEnterForeground object:nil];
    [self watchMemory];
  }
  return self;
}

- (void)dealloc {
  [NSNotificationCenter.defaultCenter removeObserver:self];
  dispatch_source_cancel(_memory);
}

- (void)watchMemory {
  void (^handler)(SpeechSystemEvent) = _handler;
  _memory = dispatch_source_create(DISPATCH_SOURCE_TYPE_MEMORYPRESSURE, 0,
                                   DISPATCH_MEMORYPRESSURE_WARN | DISPATCH_MEMORYPRESSURE_CRITICAL,
                                   dispatch_get_main_queue());
  dispatch_source_set_event_handler(_memory, ^{
    handler(SpeechSystemEventMemoryIsShort);
  });
  dispatch_resume(_memory);
}

- (void)enteredBackground:(NSNotification *)notification {
  _handler(SpeechSystemEventEnteredBackground);
}

- (void)entersForeground:(NSNotification *)notification {
  _handler(SpeechSystemEventEntersForeground);
}

@end
