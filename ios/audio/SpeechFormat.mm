// Implements SpeechFormat.h.
#import "SpeechFormat.h"

static NSString *const kErrorDomain = @"org.wsp.speech";

BOOL SpeechFail(NSError **error, NSString *what) {
  if (error != NULL) {
    *error = [NSError errorWithDomain:kErrorDomain code:1 userInfo:@{NSLocalizedDescriptionKey : what}];
  }
  return NO;
}

AVAudioConverter *SpeechConverterFrom(AVAudioFormat *format, NSError **error) {
  AVAudioFormat *wanted = [[AVAudioFormat alloc] initWithCommonFormat:AVAudioPCMFormatFloat32
                                                           sampleRate:SpeechFramesPerSecond
                                                             channels:1
                                                          interleaved:NO];
  AVAudioConverter *converter = [[AVAudioConverter alloc] initFromFormat:format toFormat:wanted];
  if (converter == nil) {
    SpeechFail(error, [NSString stringWithFormat:@"the system cannot convert %@ to 16 kHz mono", format]);
    return nil;
  }
  // The best filter there is: what aliases into speech is heard as speech.
  converter.sampleRateConverterQuality = AVAudioQualityMax;
  converter.downmix = YES;
  return converter;
}
