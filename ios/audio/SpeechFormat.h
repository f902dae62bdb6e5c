// What the core hears, 16 kHz mono floats, as AVFoundation describes it, and converters to it.
#import <AVFoundation/AVFoundation.h>

NS_ASSUME_NONNULL_BEGIN

/// Of the core, in hertz.
static const AVAudioFrameCount SpeechFramesPerSecond = 16000;

/// A converter from a format; nil with an error if the system has none.
AVAudioConverter *_Nullable SpeechConverterFrom(AVAudioFormat *format, NSError **error);

/// Sets an error with a sentence, and gives NO.
BOOL SpeechFail(NSError **error, NSString *what);

NS_ASSUME_NONNULL_END
