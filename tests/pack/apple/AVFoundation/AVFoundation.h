// As much of AVFoundation as ios/ uses, for a look at its syntax and types; as Apple's documentation declares it.
#pragma once
#import <Foundation/Foundation.h>
#import <TargetConditionals.h>

NS_ASSUME_NONNULL_BEGIN

typedef uint32_t AVAudioFrameCount;
typedef uint32_t AVAudioPacketCount;
typedef uint32_t AVAudioChannelCount;
typedef int64_t AVAudioFramePosition;
typedef NSUInteger AVAudioNodeBus;

typedef NS_ENUM(NSUInteger, AVAudioCommonFormat) { AVAudioOtherFormat = 0, AVAudioPCMFormatFloat32 = 1 };
typedef NS_ENUM(NSInteger, AVAudioQuality) { AVAudioQualityMin = 0, AVAudioQualityMax = 0x7F };
typedef NS_ENUM(NSInteger, AVAudioConverterInputStatus) {
  AVAudioConverterInputStatus_HaveData = 0,
  AVAudioConverterInputStatus_NoDataNow = 1,
  AVAudioConverterInputStatus_EndOfStream = 2,
};
typedef NS_ENUM(NSInteger, AVAudioConverterOutputStatus) {
  AVAudioConverterOutputStatus_HaveData = 0,
  AVAudioConverterOutputStatus_InputRanDry = 1,
  AVAudioConverterOutputStatus_EndOfStream = 2,
  AVAudioConverterOutputStatus_Error = 3,
};

@interface AVAudioFormat : NSObject
- (nullable instancetype)initWithCommonFormat:(AVAudioCommonFormat)format
                                   sampleRate:(double)sampleRate
                                     channels:(AVAudioChannelCount)channels
                                  interleaved:(BOOL)interleaved;
@property(nonatomic, readonly) double sampleRate;
@property(nonatomic, readonly) AVAudioChannelCount channelCount;
@end

@interface AVAudioBuffer : NSObject
@end

@interface AVAudioPCMBuffer : AVAudioBuffer
- (nullable instancetype)initWithPCMFormat:(AVAudioFormat *)format frameCapacity:(AVAudioFrameCount)frameCapacity;
@property(nonatomic) AVAudioFrameCount frameLength;
@property(nonatomic, readonly) float *const _Nonnull *_Nullable floatChannelData;
@end

typedef AVAudioBuffer *_Nullable (^AVAudioConverterInputBlock)(AVAudioPacketCount count,
                                                               AVAudioConverterInputStatus *status);

@interface AVAudioConverter : NSObject
- (nullable instancetype)initFromFormat:(AVAudioFormat *)from toFormat:(AVAudioFormat *)to;
@property(nonatomic, readonly) AVAudioFormat *outputFormat;
@property(nonatomic) AVAudioQuality sampleRateConverterQuality;
@property(nonatomic) BOOL downmix;
- (AVAudioConverterOutputStatus)convertToBuffer:(AVAudioBuffer *)output
                                          error:(NSError *_Nullable *_Nullable)error
                             withInputFromBlock:(NS_NOESCAPE AVAudioConverterInputBlock)block;
@end

@interface AVAudioFile : NSObject
- (nullable instancetype)initForReading:(NSURL *)url error:(NSError *_Nullable *_Nullable)error;
- (BOOL)readIntoBuffer:(AVAudioPCMBuffer *)buffer
            frameCount:(AVAudioFrameCount)count
                 error:(NSError *_Nullable *_Nullable)error;
@property(nonatomic, readonly) AVAudioFormat *processingFormat;
@property(nonatomic, readonly) AVAudioFramePosition length;
@property(nonatomic) AVAudioFramePosition framePosition;
@end

@interface AVAudioTime : NSObject
@end

typedef void (^AVAudioNodeTapBlock)(AVAudioPCMBuffer *buffer, AVAudioTime *when);

@interface AVAudioNode : NSObject
- (AVAudioFormat *)outputFormatForBus:(AVAudioNodeBus)bus;
- (void)installTapOnBus:(AVAudioNodeBus)bus
             bufferSize:(AVAudioFrameCount)size
                 format:(nullable AVAudioFormat *)format
                  block:(AVAudioNodeTapBlock)block;
- (void)removeTapOnBus:(AVAudioNodeBus)bus;
@end

@interface AVAudioInputNode : AVAudioNode
@end

extern NSNotificationName const AVAudioEngineConfigurationChangeNotification;

@interface AVAudioEngine : NSObject
@property(readonly, nonatomic) AVAudioInputNode *inputNode;
- (void)prepare;
- (BOOL)startAndReturnError:(NSError *_Nullable *_Nullable)error;
- (void)stop;
@end

typedef NSString *AVMediaType;
extern AVMediaType const AVMediaTypeAudio;

@interface AVCaptureDevice : NSObject
+ (void)requestAccessForMediaType:(AVMediaType)type completionHandler:(void (^)(BOOL granted))handler;
@end

#if TARGET_OS_IPHONE
typedef NSString *AVAudioSessionCategory;
typedef NSString *AVAudioSessionMode;
extern AVAudioSessionCategory const AVAudioSessionCategoryPlayAndRecord;
extern AVAudioSessionMode const AVAudioSessionModeMeasurement;
extern NSNotificationName const AVAudioSessionInterruptionNotification;
extern NSNotificationName const AVAudioSessionMediaServicesWereResetNotification;
extern NSString *const AVAudioSessionInterruptionTypeKey;
extern NSString *const AVAudioSessionInterruptionOptionKey;

typedef NS_OPTIONS(NSUInteger, AVAudioSessionCategoryOptions) {
  AVAudioSessionCategoryOptionAllowBluetooth = 0x4,
  AVAudioSessionCategoryOptionDefaultToSpeaker = 0x8,
};
typedef NS_OPTIONS(NSUInteger, AVAudioSessionSetActiveOptions) {
  AVAudioSessionSetActiveOptionNotifyOthersOnDeactivation = 1,
};
typedef NS_ENUM(NSUInteger, AVAudioSessionInterruptionType) {
  AVAudioSessionInterruptionTypeBegan = 1,
  AVAudioSessionInterruptionTypeEnded = 0,
};
typedef NS_OPTIONS(NSUInteger, AVAudioSessionInterruptionOptions) {
  AVAudioSessionInterruptionOptionShouldResume = 1,
};

@interface AVAudioSession : NSObject
+ (AVAudioSession *)sharedInstance;
- (BOOL)setCategory:(AVAudioSessionCategory)category
               mode:(AVAudioSessionMode)mode
            options:(AVAudioSessionCategoryOptions)options
              error:(NSError *_Nullable *_Nullable)error;
- (BOOL)setActive:(BOOL)active error:(NSError *_Nullable *_Nullable)error;
- (BOOL)setActive:(BOOL)active
      withOptions:(AVAudioSessionSetActiveOptions)options
            error:(NSError *_Nullable *_Nullable)error;
@end
#endif

NS_ASSUME_NONNULL_END
