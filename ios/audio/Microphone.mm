// Implements Microphone.h.
#import "Microphone.h"

#import <AVFoundation/AVFoundation.h>
#import <TargetConditionals.h>

#import "SpeechFormat.h"

// A tenth of a second at 48 kHz: short enough to show words as they come, long enough to cost nothing.
static const AVAudioFrameCount kTapFrames = 4800;

@implementation SpeechMicrophone {
  SpeechMicrophoneSamples _samples;
  SpeechMicrophoneChange _change;
  AVAudioEngine *_engine;
  // Counts starts and stops: an answer to an older one is not for now.
  NSUInteger _turn;
}

- (instancetype)initWithSamples:(SpeechMicrophoneSamples)samples change:(SpeechMicrophoneChange)change {
  if ((self = [super init])) {
    _samples = [samples copy];
    _change = [change copy];
    _state = SpeechMicrophoneStateStopped;
  }
  return self;
}

- (void)dealloc {
  [NSNotificationCenter.defaultCenter removeObserver:self];
  [self tearDown];
}

- (void)startWithCompletion:(void (^)(NSError *_Nullable))completion {
  if (_state != SpeechMicrophoneStateStopped) {
    completion(nil);
    return;
  }
  const NSUInteger turn = ++_turn;
  __weak SpeechMicrophone *weakSelf = self;
  [AVCaptureDevice requestAccessForMediaType:AVMediaTypeAudio
                           completionHandler:^(BOOL granted) {
                             dispatch_async(dispatch_get_main_queue(), ^{
                               completion([weakSelf answerTo:turn granted:granted]);
                             });
                           }];
}

- (void)stop {
  ++_turn;
  if (_state == SpeechMicrophoneStateStopped) return;
  [NSNotificationCenter.defaultCenter removeObserver:self];
  [self tearDown];
  [self deactivateSession];
  [self become:SpeechMicrophoneStateStopped because:nil];
}

/// What the user answered; gives why the microphone does not run, nil if it does.
- (NSError *)answerTo:(NSUInteger)turn granted:(BOOL)granted {
  NSError *error = nil;
  if (turn != _turn) {
    SpeechFail(&error, @"the microphone was stopped before it began");
  } else if (!granted) {
    SpeechFail(&error, @"the user allows this app no microphone: send them to the settings");
  } else if ([self activateSession:&error] && [self startEngine:&error]) {
    [self observe];
    [self become:SpeechMicrophoneStateRunning because:nil];
  } else {
    [self deactivateSession];
  }
  return error;
}

- (BOOL)startEngine:(NSError **)error {
  AVAudioEngine *engine = [[AVAudioEngine alloc] init];
  AVAudioInputNode *input = engine.inputNode;
  AVAudioFormat *format = [input outputFormatForBus:0];
  // A device without a microphone, or one that another app has just taken.
  if (format.sampleRate <= 0 || format.channelCount == 0) return SpeechFail(error, @"there is no microphone");
  AVAudioConverter *converter = SpeechConverterFrom(format, error);
  if (converter == nil) return NO;
  const double ratio = SpeechFramesPerSecond / format.sampleRate;
  SpeechMicrophoneSamples samples = _samples;
  [input installTapOnBus:0
              bufferSize:kTapFrames
                  format:format
                   block:^(AVAudioPCMBuffer *heard, AVAudioTime *) {
                     [SpeechMicrophone hand:heard through:converter ratio:ratio to:samples];
                   }];
  [engine prepare];
  if (![engine startAndReturnError:error]) {
    [input removeTapOnBus:0];
    return NO;
  }
  _engine = engine;
  return YES;
}

/// Converts what was heard, all of it, and hands it over.
+ (void)hand:(AVAudioPCMBuffer *)heard
     through:(AVAudioConverter *)converter
       ratio:(double)ratio
          to:(SpeechMicrophoneSamples)samples {
  // The filter holds some frames back and gives them with the next buffer.
  const AVAudioFrameCount capacity = (AVAudioFrameCount)(heard.frameLength * ratio) + 64;
  AVAudioPCMBuffer *output = [[AVAudioPCMBuffer alloc] initWithPCMFormat:converter.outputFormat frameCapacity:capacity];
  if (output == nil) return;
  __block BOOL given = NO;
  [converter convertToBuffer:output
                        error:NULL
          withInputFromBlock:^AVAudioBuffer *(AVAudioPacketCount, AVAudioConverterInputStatus *status) {
            *status = given ? AVAudioConverterInputStatus_NoDataNow : AVAudioConverterInputStatus_HaveData;
            AVAudioBuffer *next = given ? nil : heard;
            given = YES;
            return next;
          }];
  if (output.frameLength > 0) samples(output.floatChannelData[0], output.frameLength);
}

- (void)tearDown {
  [_engine.inputNode removeTapOnBus:0];
  [_engine stop];
  _engine = nil;
}

- (void)become:(SpeechMicrophoneState)state because:(NSError *)error {
  if (_state == state) return;
  _state = state;
  if (_change != nil) _change(state, error);
}

/// Starts the engine anew after what took it; stops with the reason if that fails.
- (void)resume {
  NSError *error = nil;
  [self tearDown];
  if ([self activateSession:&error] && [self startEngine:&error]) {
    [self become:SpeechMicrophoneStateRunning because:nil];
    return;
  }
  ++_turn;
  [NSNotificationCenter.defaultCenter removeObserver:self];
  [self deactivateSession];
  [self become:SpeechMicrophoneStateStopped because:error];
}

#if TARGET_OS_OSX

- (BOOL)activateSession:(NSError **)error {
  return YES;
}

- (void)deactivateSession {
}

- (void)observe {
  [self observe:AVAudioEngineConfigurationChangeNotification by:@selector(configurationChanged:)];
}

#else

- (BOOL)activateSession:(NSError **)error {
  AVAudioSession *session = AVAudioSession.sharedInstance;
  // Playing stays possible; without mode measurement the system filters speech as for a telephone.
  const AVAudioSessionCategoryOptions options =
      AVAudioSessionCategoryOptionAllowBluetooth | AVAudioSessionCategoryOptionDefaultToSpeaker;
  return [session setCategory:AVAudioSessionCategoryPlayAndRecord
                         mode:AVAudioSessionModeMeasurement
                      options:options
                        error:error] &&
         [session setActive:YES error:error];
}

- (void)deactivateSession {
  [AVAudioSession.sharedInstance setActive:NO
                               withOptions:AVAudioSessionSetActiveOptionNotifyOthersOnDeactivation
                                     error:NULL];
}

- (void)observe {
  [self observe:AVAudioEngineConfigurationChangeNotification by:@selector(configurationChanged:)];
  [self observe:AVAudioSessionInterruptionNotification by:@selector(interrupted:)];
  [self observe:AVAudioSessionMediaServicesWereResetNotification by:@selector(servicesWereReset:)];
}

- (void)interrupted:(NSNotification *)notification {
  NSDictionary *facts = notification.userInfo;
  const NSUInteger kind = [facts[AVAudioSessionInterruptionTypeKey] unsignedIntegerValue];
  const NSUInteger options = [facts[AVAudioSessionInterruptionOptionKey] unsignedIntegerValue];
  __weak SpeechMicrophone *weakSelf = self;
  dispatch_async(dispatch_get_main_queue(), ^{
    if (kind == AVAudioSessionInterruptionTypeBegan) {
      [weakSelf interruptionBegan];
    } else {
      [weakSelf interruptionEnded:(options & AVAudioSessionInterruptionOptionShouldResume) != 0];
    }
  });
}

- (void)interruptionBegan {
  if (_state != SpeechMicrophoneStateRunning) return;
  [self tearDown];
  [self become:SpeechMicrophoneStateInterrupted because:nil];
}

- (void)interruptionEnded:(BOOL)mayResume {
  if (_state != SpeechMicrophoneStateInterrupted) return;
  if (mayResume) {
    [self resume];
  } else {
    [self stop];
  }
}

- (void)servicesWereReset:(NSNotification *)notification {
  [self resumeIfRunning];
}

#endif

- (void)observe:(NSNotificationName)name by:(SEL)selector {
  [NSNotificationCenter.defaultCenter addObserver:self selector:selector name:name object:nil];
}

/// Headphones came or went, and with them rate and channels: the engine has stopped.
- (void)configurationChanged:(NSNotification *)notification {
  if (notification.object == _engine) [self resumeIfRunning];
}

- (void)resumeIfRunning {
  __weak SpeechMicrophone *weakSelf = self;
  dispatch_async(dispatch_get_main_queue(), ^{
    SpeechMicrophone *strongSelf = weakSelf;
    if (strongSelf.state == SpeechMicrophoneStateRunning) [strongSelf resume];
  });
}

@end
