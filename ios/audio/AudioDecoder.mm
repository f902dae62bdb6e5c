// Implements AudioDecoder.h.
#import "AudioDecoder.h"

#import <AVFoundation/AVFoundation.h>

#import "SpeechFormat.h"

// A second of the slowest rates, and little memory at the fastest.
static const AVAudioFrameCount kInputFrames = 16384;

@implementation SpeechAudioDecoder

+ (BOOL)decodeFile:(NSURL *)url intoBlock:(NS_NOESCAPE SpeechSamplesBlock)block error:(NSError **)error {
  AVAudioFile *file = [[AVAudioFile alloc] initForReading:url error:error];
  if (file == nil) return NO;
  AVAudioConverter *converter = SpeechConverterFrom(file.processingFormat, error);
  if (converter == nil) return NO;
  AVAudioPCMBuffer *input = [[AVAudioPCMBuffer alloc] initWithPCMFormat:file.processingFormat frameCapacity:kInputFrames];
  AVAudioPCMBuffer *output = [[AVAudioPCMBuffer alloc] initWithPCMFormat:converter.outputFormat
                                                           frameCapacity:SpeechFramesPerSecond];
  if (input == nil || output == nil) return SpeechFail(error, @"there is no memory to decode into");

  __block NSError *readError = nil;
  for (;;) {
    NSError *convertError = nil;
    const AVAudioConverterOutputStatus status = [converter
            convertToBuffer:output
                      error:&convertError
        withInputFromBlock:^AVAudioBuffer *(AVAudioPacketCount wanted, AVAudioConverterInputStatus *state) {
          const AVAudioFramePosition left = file.length - file.framePosition;
          const AVAudioFrameCount count = (AVAudioFrameCount)MIN(left, (AVAudioFramePosition)MIN(wanted, kInputFrames));
          if (count == 0 || ![file readIntoBuffer:input frameCount:count error:&readError] || input.frameLength == 0) {
            *state = AVAudioConverterInputStatus_EndOfStream;
            return nil;
          }
          *state = AVAudioConverterInputStatus_HaveData;
          return input;
        }];
    if (readError != nil || status == AVAudioConverterOutputStatus_Error) {
      if (error != NULL) *error = readError != nil ? readError : convertError;
      return NO;
    }
    if (output.frameLength > 0 && !block(output.floatChannelData[0], output.frameLength)) return YES;
    if (status == AVAudioConverterOutputStatus_EndOfStream) return YES;
  }
}

@end
