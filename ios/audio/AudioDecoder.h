// Recordings in every format that the system decodes (m4a, mp3, caf, flac, wav) as 16 kHz mono. It knows neither React
// Native nor the core.
#import <Foundation/Foundation.h>

NS_ASSUME_NONNULL_BEGIN

/// Samples of a recording, 32-bit floats in [-1, 1], 16 kHz, one channel; valid during the call. NO stops the decoding.
typedef BOOL (^SpeechSamplesBlock)(const float *samples, NSUInteger count);

@interface SpeechAudioDecoder : NSObject

- (instancetype)init NS_UNAVAILABLE;

/// Decodes a file from beginning to end, in blocks of at most a second; on the calling thread. Channels are averaged by
/// the system. NO with an error of AVFoundation or Foundation if the file cannot be read or decoded; a decoding that the
/// block stopped is no error.
+ (BOOL)decodeFile:(NSURL *)url intoBlock:(NS_NOESCAPE SpeechSamplesBlock)block error:(NSError **)error;

@end

NS_ASSUME_NONNULL_END
