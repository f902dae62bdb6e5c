// Gives the core its way to Apple's systems when the library is loaded: files of the app's bundle under asset://, and
// recordings of every format that the system decodes.
#import <Foundation/Foundation.h>

#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#import "AudioDecoder.h"
#include "whisper_ext.h"

static const char kBundle[] = "asset://";
static const size_t kBundleLength = sizeof(kBundle) - 1;

static void say(NSString *what, char *message, size_t n_message) {
  std::snprintf(message, n_message, "%s", what.UTF8String);
}

static BOOL isOfBundle(const char *path) { return std::strncmp(path, kBundle, kBundleLength) == 0; }

// The file of the app's bundle that a path means; nil if it has none of that name.
static NSString *fileOfBundle(const char *path) {
  NSString *name = [NSString stringWithUTF8String:path + kBundleLength];
  return name != nil ? [NSBundle.mainBundle pathForResource:name ofType:nil] : nil;
}

static bool openPath(const char *path, whisper_ext_opened *opened, char *message, size_t n_message, void *) {
  @autoreleasepool {
    NSString *file = isOfBundle(path) ? fileOfBundle(path) : nil;
    if (file == nil) {
      say([NSString stringWithFormat:@"the app has no %s; asset://name is a file among its target's resources", path],
          message, n_message);
      return false;
    }
    *opened = {open(file.UTF8String, O_RDONLY | O_CLOEXEC), 0, -1};
    if (opened->descriptor < 0) std::snprintf(message, n_message, "%s", std::strerror(errno));
    return opened->descriptor >= 0;
  }
}

static bool decodePath(const char *path, whisper_ext_samples receive, void *sink, char *message, size_t n_message,
                       void *) {
  @autoreleasepool {
    NSString *file = isOfBundle(path) ? fileOfBundle(path) : [NSString stringWithUTF8String:path];
    if (file == nil) return false;
    NSError *error = nil;
    const BOOL decoded = [SpeechAudioDecoder decodeFile:[NSURL fileURLWithPath:file]
                                              intoBlock:^BOOL(const float *samples, NSUInteger count) {
                                                return receive(samples, count, sink);
                                              }
                                                  error:&error];
    if (!decoded) say(error.localizedDescription, message, n_message);
    return decoded;
  }
}

@interface SpeechCorePlatform : NSObject
@end

@implementation SpeechCorePlatform

+ (void)load {
  whisper_ext_set_opener(openPath, nullptr);
  whisper_ext_set_decoder(decodePath, nullptr);
}

@end
