// The microphone as 16 kHz mono, with what happens to it: calls, other apps, headphones. It knows neither React Native
// nor the core.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

// Without NS_ENUM, which is a macro: the names get the prefix where the package is made.
typedef enum __attribute__((enum_extensibility(open))) SpeechMicrophoneState : NSInteger {
  SpeechMicrophoneStateStopped = 0,
  SpeechMicrophoneStateRunning = 1,
  /// A call, an alarm or another app has it; it runs again by itself where the system allows that.
  SpeechMicrophoneStateInterrupted = 2,
} SpeechMicrophoneState;

/// Samples as they come, 32-bit floats in [-1, 1], 16 kHz, one channel; valid during the call, on a thread of the audio
/// system: copy them and return.
typedef void (^SpeechMicrophoneSamples)(const float *samples, NSUInteger count);

/// Where it stands now, on the main thread. error: why it stopped by itself; nil otherwise.
typedef void (^SpeechMicrophoneChange)(SpeechMicrophoneState state, NSError *_Nullable error);

/// All methods are for the main thread.
@interface SpeechMicrophone : NSObject

@property(nonatomic, readonly) SpeechMicrophoneState state;

- (instancetype)init NS_UNAVAILABLE;
- (instancetype)initWithSamples:(SpeechMicrophoneSamples)samples
                         change:(nullable SpeechMicrophoneChange)change NS_DESIGNATED_INITIALIZER;

/// Asks for permission if nobody was asked yet, makes the audio session one for recording, and starts. completion, on the
/// main thread: nil, or why it does not run. The app's Info.plist needs NSMicrophoneUsageDescription.
- (void)startWithCompletion:(void (^)(NSError *_Nullable error))completion;

/// Stops, and tells other apps that they may sound again. Without effect if it is stopped.
- (void)stop;

@end

NS_ASSUME_NONNULL_END
