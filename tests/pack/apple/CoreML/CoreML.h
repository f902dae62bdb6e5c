// As much of Core ML, and of Foundation beyond what ios/ uses, as the Core ML encoder needs, for a look at its syntax
// and types. Names and types are those of Apple's documents.
#pragma once
#import <Foundation/Foundation.h>

// As Apple's own in C++: it also stands for no pointer to an object.
#undef nil
#define nil nullptr

NS_ASSUME_NONNULL_BEGIN

typedef double NSTimeInterval;
typedef NSString *NSFileAttributeKey;
typedef NSString *NSExceptionName;
typedef struct _NSRange {
  NSUInteger location;
  NSUInteger length;
} NSRange;
typedef NS_ENUM(NSUInteger, NSSearchPathDirectory) { NSCachesDirectory = 13 };
typedef NS_OPTIONS(NSUInteger, NSSearchPathDomainMask) { NSUserDomainMask = 1 };
typedef struct {
  unsigned long state;
  id __unsafe_unretained _Nullable *_Nullable itemsPtr;
  unsigned long *_Nullable mutationsPtr;
  unsigned long extra[5];
} NSFastEnumerationState;

@interface NSValue : NSObject
@property(readonly) NSRange rangeValue;
@end

@interface NSNumber (More)
+ (NSNumber *)numberWithInt:(int)value;
+ (NSNumber *)numberWithInteger:(NSInteger)value;
@property(readonly) int intValue;
@property(readonly) NSInteger integerValue;
@end

@interface NSArray<__covariant Value> : NSObject
+ (instancetype)arrayWithObjects:(const Value _Nonnull[_Nullable])objects count:(NSUInteger)count;
@property(readonly) NSUInteger count;
@property(readonly, nullable) Value firstObject;
@property(readonly, nullable) Value lastObject;
- (Value)objectAtIndexedSubscript:(NSUInteger)index;
- (NSUInteger)countByEnumeratingWithState:(NSFastEnumerationState *)state
                                  objects:(id __unsafe_unretained _Nullable[_Nonnull])buffer
                                    count:(NSUInteger)length;
@end

@interface NSString (More)
- (BOOL)isEqualToString:(NSString *)other;
- (NSString *)stringByAppendingString:(NSString *)other;
@end

@interface NSDictionary<Key, Value> (More)
@property(readonly) NSUInteger count;
@property(readonly) NSArray<Value> *allValues;
@end

@interface NSDate : NSObject
@property(readonly) NSTimeInterval timeIntervalSince1970;
@end

@interface NSDictionary (FileAttributes)
- (nullable NSDate *)fileModificationDate;
@end

@interface NSException : NSObject
@property(readonly) NSExceptionName name;
@property(readonly, nullable) NSString *reason;
@end

@interface NSURL (More)
+ (NSURL *)fileURLWithPath:(NSString *)path isDirectory:(BOOL)isDirectory;
- (nullable NSURL *)URLByAppendingPathComponent:(NSString *)component isDirectory:(BOOL)isDirectory;
@property(readonly, nullable) NSURL *URLByDeletingLastPathComponent;
@property(readonly, nullable) NSString *path;
@property(readonly, nullable) NSString *pathExtension;
@end

@interface NSFileManager : NSObject
@property(class, readonly) NSFileManager *defaultManager;
- (NSArray<NSURL *> *)URLsForDirectory:(NSSearchPathDirectory)directory inDomains:(NSSearchPathDomainMask)domains;
- (nullable NSDictionary<NSFileAttributeKey, id> *)attributesOfItemAtPath:(NSString *)path
                                                                    error:(NSError *_Nullable *_Nullable)error;
- (BOOL)fileExistsAtPath:(NSString *)path;
- (BOOL)createDirectoryAtURL:(NSURL *)url
    withIntermediateDirectories:(BOOL)createIntermediates
                     attributes:(nullable NSDictionary<NSFileAttributeKey, id> *)attributes
                          error:(NSError *_Nullable *_Nullable)error;
- (BOOL)moveItemAtURL:(NSURL *)from toURL:(NSURL *)to error:(NSError *_Nullable *_Nullable)error;
- (BOOL)removeItemAtURL:(NSURL *)url error:(NSError *_Nullable *_Nullable)error;
@end

typedef NS_ENUM(NSInteger, MLComputeUnits) {
  MLComputeUnitsCPUOnly = 0,
  MLComputeUnitsCPUAndGPU = 1,
  MLComputeUnitsAll = 2,
  MLComputeUnitsCPUAndNeuralEngine __attribute__((availability(ios, introduced = 16.0))) = 3,
};
typedef NS_ENUM(NSInteger, MLMultiArrayDataType) {
  MLMultiArrayDataTypeFloat32 = 0x10000 | 32,
};
typedef NS_ENUM(NSInteger, MLMultiArrayShapeConstraintType) {
  MLMultiArrayShapeConstraintTypeUnspecified = 1,
  MLMultiArrayShapeConstraintTypeEnumerated = 2,
  MLMultiArrayShapeConstraintTypeRange = 3,
};
typedef NSString *MLModelMetadataKey;
extern MLModelMetadataKey const MLModelCreatorDefinedKey;

@interface MLMultiArray : NSObject
- (nullable instancetype)initWithDataPointer:(void *)dataPointer
                                       shape:(NSArray<NSNumber *> *)shape
                                    dataType:(MLMultiArrayDataType)dataType
                                     strides:(NSArray<NSNumber *> *)strides
                                 deallocator:(void (^_Nullable)(void *bytes))deallocator
                                       error:(NSError *_Nullable *_Nullable)error;
@property(readonly) void *dataPointer;
@property(readonly) MLMultiArrayDataType dataType;
@property(readonly) NSArray<NSNumber *> *shape;
@property(readonly) NSArray<NSNumber *> *strides;
@end

@interface MLMultiArrayShapeConstraint : NSObject
@property(readonly) MLMultiArrayShapeConstraintType type;
@property(readonly) NSArray<NSValue *> *sizeRangeForDimension;
@property(readonly) NSArray<NSArray<NSNumber *> *> *enumeratedShapes;
@end

@interface MLMultiArrayConstraint : NSObject
@property(readonly) NSArray<NSNumber *> *shape;
@property(readonly) MLMultiArrayShapeConstraint *shapeConstraint;
@end

@interface MLFeatureDescription : NSObject
@property(readonly) NSString *name;
@property(readonly, nullable) MLMultiArrayConstraint *multiArrayConstraint;
@end

@interface MLFeatureValue : NSObject
@property(readonly, nullable) MLMultiArray *multiArrayValue;
@end

@protocol MLFeatureProvider
- (nullable MLFeatureValue *)featureValueForName:(NSString *)name;
@end

@interface MLDictionaryFeatureProvider : NSObject <MLFeatureProvider>
- (nullable instancetype)initWithDictionary:(NSDictionary<NSString *, id> *)dictionary
                                      error:(NSError *_Nullable *_Nullable)error;
@end

@interface MLModelDescription : NSObject
@property(readonly) NSDictionary<NSString *, MLFeatureDescription *> *inputDescriptionsByName;
@property(readonly) NSDictionary<NSString *, MLFeatureDescription *> *outputDescriptionsByName;
@property(readonly) NSDictionary<MLModelMetadataKey, id> *metadata;
@end

@interface MLModelConfiguration : NSObject
@property MLComputeUnits computeUnits;
@end

@interface MLModel : NSObject
+ (nullable NSURL *)compileModelAtURL:(NSURL *)url error:(NSError *_Nullable *_Nullable)error;
+ (nullable instancetype)modelWithContentsOfURL:(NSURL *)url
                                  configuration:(MLModelConfiguration *)configuration
                                          error:(NSError *_Nullable *_Nullable)error;
@property(readonly) MLModelDescription *modelDescription;
- (nullable id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input
                                                   error:(NSError *_Nullable *_Nullable)error;
@end

NS_ASSUME_NONNULL_END
