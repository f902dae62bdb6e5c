// Loads and runs the packages of `wsp model coreml`, and those of whisper.cpp's converter. Compiled under ARC.
#include "encoders/coreml/coreml_encoder.h"

#import <CoreML/CoreML.h>
#import <Foundation/Foundation.h>

#include <chrono>
#include <span>
#include <utility>

#include "base/half.h"
#include "base/sha256.h"

namespace speech {
namespace {

using Clock = std::chrono::steady_clock;

constexpr NSInteger kFloat16 = 0x10000 | 16;  // MLMultiArrayDataTypeFloat16, which has its name from iOS 16 on

std::string in_ms(Clock::time_point start) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count()) + " ms";
}

Status failure(NSString *what, NSError *error) {
  NSString *why = error.localizedDescription != nil ? error.localizedDescription : @"no reason given";
  return {Code::kBadFormat, "Core ML says, " + std::string(what.UTF8String) + ": " + why.UTF8String};
}

Status failure(NSException *exception) {
  NSString *why = exception.reason != nil ? exception.reason : exception.name;
  return {Code::kBadFormat, "Core ML says: " + std::string(why.UTF8String)};
}

NSString *string_of(const std::string &text) {
  NSString *string = [NSString stringWithUTF8String:text.c_str()];
  return string != nil ? string : @"";
}

// Where the compiled form of a package stays: a name made of its path and of the time at which it was written, in the
// folder for caches, so that a package that changes is compiled again.
NSURL *cached_place(NSURL *package, const EncoderFile &file) {
  NSFileManager *files = NSFileManager.defaultManager;
  NSURL *folder = nil;
  if (!file.cache_path.empty()) {
    folder = [NSURL fileURLWithPath:string_of(file.cache_path) isDirectory:YES];
  } else {
    NSURL *caches = [files URLsForDirectory:NSCachesDirectory inDomains:NSUserDomainMask].firstObject;
    folder = [caches URLByAppendingPathComponent:@"speech-encoders" isDirectory:YES];
  }
  NSURL *manifest = [package URLByAppendingPathComponent:@"Manifest.json" isDirectory:NO];
  NSDictionary<NSFileAttributeKey, id> *facts = [files attributesOfItemAtPath:manifest.path error:nil];
  const std::string key =
      std::string(package.path.UTF8String) + " " + std::to_string(facts.fileModificationDate.timeIntervalSince1970);
  Sha256 hash;
  hash.add(std::as_bytes(std::span(key)));
  NSString *name = [string_of(hash.finish()) stringByAppendingString:@".mlmodelc"];
  return [folder URLByAppendingPathComponent:name isDirectory:YES];
}

// Compiles a package and keeps the result at `place`; how: what it took.
Result<NSURL *> compile(NSURL *package, NSURL *place, std::string &how) {
  NSFileManager *files = NSFileManager.defaultManager;
  const auto start = Clock::now();
  NSError *error = nil;
  NSURL *temporary = [MLModel compileModelAtURL:package error:&error];
  if (temporary == nil) {
    return failure(@"compiling the package", error);
  }
  how = "compiled in " + in_ms(start) + ", ";
  NSURL *folder = place.URLByDeletingLastPathComponent;
  if ([files createDirectoryAtURL:folder withIntermediateDirectories:YES attributes:nil error:&error] &&
      [files moveItemAtURL:temporary toURL:place error:&error]) {
    return place;
  }
  // It is used all the same; the next load compiles again. Another one may have been faster.
  return [files fileExistsAtPath:place.path] ? place : temporary;
}

// As `wsp model coreml --compute-units` writes it.
MLComputeUnits units_of(NSString *name) {
  if ([name isEqualToString:@"cpu"]) {
    return MLComputeUnitsCPUOnly;
  }
  if ([name isEqualToString:@"cpu-and-gpu"]) {
    return MLComputeUnitsCPUAndGPU;
  }
  if ([name isEqualToString:@"cpu-and-neural-engine"]) {
    if (@available(iOS 16.0, macOS 13.0, tvOS 16.0, *)) {
      return MLComputeUnitsCPUAndNeuralEngine;
    }
  }
  return MLComputeUnitsAll;
}

NSString *told(MLModel *model, NSString *key) {
  NSDictionary<NSString *, NSString *> *own = model.modelDescription.metadata[MLModelCreatorDefinedKey];
  return own[key];
}

// The only input or output; null if there are several, or it is no array.
MLFeatureDescription *only_array(NSDictionary<NSString *, MLFeatureDescription *> *features) {
  MLFeatureDescription *one = features.count == 1 ? features.allValues.firstObject : nil;
  return one.multiArrayConstraint != nil ? one : nil;
}

class CoreMlEncoder final : public ExternalEncoder {
 public:
  CoreMlEncoder(MLModel *model, MLFeatureDescription *input, MLFeatureDescription *output, EncoderFacts facts)
      : model_(model), input_(input), output_(output), facts_(std::move(facts)) {}

  const EncoderFacts &facts() const override { return facts_; }

  bool takes(int n_frames) const override {
    const auto length = static_cast<NSUInteger>(2 * n_frames);
    MLMultiArrayConstraint *constraint = input_.multiArrayConstraint;
    if (constraint.shape.lastObject.unsignedIntegerValue == length) {
      return true;
    }
    MLMultiArrayShapeConstraint *shapes = constraint.shapeConstraint;
    if (shapes.type == MLMultiArrayShapeConstraintTypeRange) {
      const NSRange range = shapes.sizeRangeForDimension.lastObject.rangeValue;
      return range.location <= length && length - range.location < range.length;
    }
    for (NSArray<NSNumber *> *shape in shapes.enumeratedShapes) {
      if (shape.lastObject.unsignedIntegerValue == length) {
        return true;
      }
    }
    return false;
  }

  Status encode(std::span<const float> mel, int n_frames, std::span<float> out) override {
    @autoreleasepool {
      @try {
        NSError *error = nil;
        const NSInteger length = 2 * static_cast<NSInteger>(n_frames);
        // Core ML reads it only.
        MLMultiArray *features = [[MLMultiArray alloc] initWithDataPointer:const_cast<float *>(mel.data())
                                                                     shape:@[ @1, @(facts_.n_mels), @(length) ]
                                                                  dataType:MLMultiArrayDataTypeFloat32
                                                                   strides:@[ @(facts_.n_mels * length), @(length), @1 ]
                                                               deallocator:nil
                                                                     error:&error];
        if (features == nil) {
          return failure(@"taking the features", error);
        }
        MLDictionaryFeatureProvider *given =
            [[MLDictionaryFeatureProvider alloc] initWithDictionary:@{input_.name : features} error:&error];
        id<MLFeatureProvider> result = given != nil ? [model_ predictionFromFeatures:given error:&error] : nil;
        if (result == nil) {
          return failure(@"encoding a window", error);
        }
        return copy([result featureValueForName:output_.name].multiArrayValue, n_frames, out);
      } @catch (NSException *exception) {
        return failure(exception);
      }
    }
  }

 private:
  // Rows may lie further apart than they are long: the neural engine pads them.
  Status copy(MLMultiArray *values, int n_frames, std::span<float> out) const {
    const auto width = static_cast<NSInteger>(out.size() / static_cast<std::size_t>(n_frames));
    if (values.shape.count != 3 || values.shape[1].integerValue != n_frames ||
        values.shape[2].integerValue != width) {
      return {Code::kBadFormat, "it gives another shape than (1, frames, width)"};
    }
    const NSInteger row = values.strides[1].integerValue;
    const NSInteger column = values.strides[2].integerValue;
    const bool is_half = static_cast<NSInteger>(values.dataType) == kFloat16;
    if (!is_half && values.dataType != MLMultiArrayDataTypeFloat32) {
      return {Code::kBadFormat, "it gives neither float32 nor float16"};
    }
    float *next = out.data();
    for (NSInteger t = 0; t < n_frames; ++t) {
      for (NSInteger d = 0; d < width; ++d) {
        const NSInteger place = t * row + d * column;
        *next++ = is_half ? half_to_float(static_cast<const std::uint16_t *>(values.dataPointer)[place])
                          : static_cast<const float *>(values.dataPointer)[place];
      }
    }
    return Status::ok();
  }

  MLModel *model_;
  MLFeatureDescription *input_;
  MLFeatureDescription *output_;
  EncoderFacts facts_;
};

// Loads a compiled model where it wants to run.
Result<MLModel *> open(NSURL *place, std::string &how) {
  const auto start = Clock::now();
  NSError *error = nil;
  MLModelConfiguration *configuration = [[MLModelConfiguration alloc] init];
  configuration.computeUnits = MLComputeUnitsAll;
  MLModel *model = [MLModel modelWithContentsOfURL:place configuration:configuration error:&error];
  if (model != nil && units_of(told(model, @"compute_units")) != MLComputeUnitsAll) {
    configuration.computeUnits = units_of(told(model, @"compute_units"));
    model = [MLModel modelWithContentsOfURL:place configuration:configuration error:&error];
  }
  if (model == nil) {
    return failure(@"loading the model", error);
  }
  how += "loaded in " + in_ms(start);
  return model;
}

// Of a package: what was compiled before, if it still loads, or what is compiled now.
Result<MLModel *> open_package(NSURL *package, const EncoderFile &file, std::string &how) {
  NSFileManager *files = NSFileManager.defaultManager;
  NSURL *place = cached_place(package, file);
  if ([files fileExistsAtPath:place.path]) {
    how = "compiled before, ";
    if (Result<MLModel *> model = open(place, how); model) {
      return model;
    }
    [files removeItemAtURL:place error:nil];  // of another version of the system, or damaged
  }
  SPEECH_ASSIGN_OR_RETURN(NSURL * fresh, compile(package, place, how));
  return open(fresh, how);
}

Result<std::unique_ptr<ExternalEncoder>> load(const EncoderFile &file) {
  NSURL *url = [NSURL fileURLWithPath:string_of(file.path)];
  std::string how;
  const bool is_package = [url.pathExtension isEqualToString:@"mlpackage"];
  SPEECH_ASSIGN_OR_RETURN(MLModel * model, is_package ? open_package(url, file, how) : open(url, how));
  MLFeatureDescription *input = only_array(model.modelDescription.inputDescriptionsByName);
  MLFeatureDescription *output = only_array(model.modelDescription.outputDescriptionsByName);
  if (input == nil || output == nil || input.multiArrayConstraint.shape.count != 3) {
    return Status(Code::kBadFormat, "it has not one input of features (1, mel bins, frames) and one output");
  }
  EncoderFacts facts;
  facts.n_mels = input.multiArrayConstraint.shape[1].intValue;
  // Of an output whose length is open, Core ML tells no shape.
  NSArray<NSNumber *> *shape = output.multiArrayConstraint.shape;
  facts.width = shape.count == 3 ? shape[2].intValue : 0;
  if (NSString *fingerprint = told(model, @"encoder_fingerprint"); fingerprint != nil) {
    facts.fingerprint = fingerprint.UTF8String;
  }
  facts.loading = std::move(how);
  return std::unique_ptr<ExternalEncoder>(std::make_unique<CoreMlEncoder>(model, input, output, std::move(facts)));
}

}  // namespace

bool coreml_encoder_is_built() { return true; }

Result<std::unique_ptr<ExternalEncoder>> load_coreml_encoder(const EncoderFile &file) {
  @autoreleasepool {
    @try {
      return load(file);
    } @catch (NSException *exception) {
      return failure(exception);
    }
  }
}

}  // namespace speech
