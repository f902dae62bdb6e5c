// As much of Foundation and Grand Central Dispatch as ios/ uses, for a look at its syntax and types.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define nil ((id)0)
#define YES ((BOOL)1)
#define NO ((BOOL)0)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define NS_ASSUME_NONNULL_BEGIN _Pragma("clang assume_nonnull begin")
#define NS_ASSUME_NONNULL_END _Pragma("clang assume_nonnull end")
#define NS_NOESCAPE __attribute__((noescape))
#define NS_UNAVAILABLE __attribute__((unavailable))
#define NS_DESIGNATED_INITIALIZER __attribute__((objc_designated_initializer))
#define NS_ENUM(type, name) enum name : type name; enum name : type
#define NS_OPTIONS(type, name) type name; enum __attribute__((flag_enum)) : type

typedef signed char BOOL;
typedef long NSInteger;
typedef unsigned long NSUInteger;

NS_ASSUME_NONNULL_BEGIN

@class NSString, NSError, NSNotification, NSDictionary<Key, Value>;

@protocol NSObject
@end

__attribute__((objc_root_class)) @interface NSObject <NSObject>
+ (instancetype)alloc;
+ (void)load;
- (instancetype)init;
- (id)copy;
@end

@protocol NSCopying
@end

@interface NSNumber : NSObject
@property(readonly) NSUInteger unsignedIntegerValue;
@end

@interface NSString : NSObject <NSCopying>
+ (instancetype)stringWithFormat:(NSString *)format, ... __attribute__((format(__NSString__, 1, 2)));
+ (nullable instancetype)stringWithUTF8String:(const char *)text;
@property(readonly) const char *UTF8String;
@property(readonly) NSString *pathExtension;
@property(readonly) NSString *stringByDeletingPathExtension;
@end

@interface NSConstantString : NSString
@end

typedef NSString *NSNotificationName;
typedef NSString *NSErrorUserInfoKey;
typedef NSString *NSErrorDomain;
extern NSErrorUserInfoKey const NSLocalizedDescriptionKey;

@interface NSDictionary<__covariant Key, __covariant Value> : NSObject
+ (instancetype)dictionaryWithObjects:(const Value _Nonnull[_Nullable])objects
                              forKeys:(const Key<NSCopying> _Nonnull[_Nullable])keys
                                count:(NSUInteger)count;
- (nullable Value)objectForKeyedSubscript:(Key)key;
@end

@interface NSError : NSObject
+ (instancetype)errorWithDomain:(NSErrorDomain)domain
                           code:(NSInteger)code
                       userInfo:(nullable NSDictionary<NSErrorUserInfoKey, id> *)info;
@property(readonly) NSString *localizedDescription;
@end

@interface NSURL : NSObject
+ (NSURL *)fileURLWithPath:(NSString *)path;
@end

@interface NSBundle : NSObject
@property(class, readonly) NSBundle *mainBundle;
- (nullable NSString *)pathForResource:(nullable NSString *)name ofType:(nullable NSString *)extension;
@end

@interface NSNotification : NSObject
@property(readonly, nullable) id object;
@property(readonly, nullable) NSDictionary *userInfo;
@end

@interface NSNotificationCenter : NSObject
@property(class, readonly) NSNotificationCenter *defaultCenter;
- (void)addObserver:(id)observer selector:(SEL)selector name:(nullable NSNotificationName)name object:(nullable id)object;
- (void)removeObserver:(id)observer;
@end

@protocol OS_dispatch_queue <NSObject>
@end
@protocol OS_dispatch_source <NSObject>
@end
typedef NSObject<OS_dispatch_queue> *dispatch_queue_t;
typedef NSObject<OS_dispatch_source> *dispatch_source_t;
typedef void (^dispatch_block_t)(void);
typedef const struct dispatch_source_type_s *dispatch_source_type_t;
extern "C" {
extern const struct dispatch_source_type_s _dispatch_source_type_memorypressure;
dispatch_queue_t dispatch_get_main_queue(void);
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block);
void dispatch_sync(dispatch_queue_t queue, NS_NOESCAPE dispatch_block_t block);
dispatch_source_t dispatch_source_create(dispatch_source_type_t type, uintptr_t handle, uintptr_t mask,
                                         dispatch_queue_t _Nullable queue);
void dispatch_source_set_event_handler(dispatch_source_t source, dispatch_block_t _Nullable handler);
void dispatch_source_cancel(dispatch_source_t source);
void dispatch_resume(NSObject *object);
}
#define DISPATCH_SOURCE_TYPE_MEMORYPRESSURE (&_dispatch_source_type_memorypressure)
#define DISPATCH_MEMORYPRESSURE_WARN 0x02
#define DISPATCH_MEMORYPRESSURE_CRITICAL 0x04

NS_ASSUME_NONNULL_END
