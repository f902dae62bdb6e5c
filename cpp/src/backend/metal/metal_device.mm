// GPUs by Apple's Metal, compiled under ARC; see device.h.
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "backend/metal/device.h"
#include "backend/metal/generated/kernels_text.h"
#include "base/threads.h"

namespace speech {
namespace {

// Metal's own least, for buffers of no bytes.
constexpr std::size_t kLeastBytes = 16;

NSString *string_of(const std::string &text) {
  NSString *string = [NSString stringWithUTF8String:text.c_str()];
  return string != nil ? string : @"";
}

std::string text_of(NSError *error) {
  NSString *text = error.localizedDescription;
  return text != nil ? std::string(text.UTF8String) : std::string("no reason given");
}

class MetalBuffer final : public HostBuffer {
 public:
  MetalBuffer(id<MTLBuffer> buffer, std::size_t bytes)
      : HostBuffer(static_cast<std::byte *>(buffer.contents), bytes), buffer_(buffer) {}

  id<MTLBuffer> buffer() const { return buffer_; }

 private:
  id<MTLBuffer> buffer_;
};

id<MTLBuffer> buffer_of(const GpuBinding &binding) { return static_cast<const MetalBuffer &>(*binding.buffer).buffer(); }

// Kernels by name, each made ready once for all contexts.
class Pipelines {
 public:
  explicit Pipelines(id<MTLLibrary> library) : library_(library) {}

  Result<id<MTLComputePipelineState>> get(const std::string &name) {
    const std::lock_guard lock(mutex_);
    const auto found = ready_.find(name);
    if (found != ready_.end()) {
      return found->second;
    }
    id<MTLFunction> function = [library_ newFunctionWithName:string_of(name)];
    if (function == nil) {
      return Status(Code::kInternal, "no Metal kernel is called " + name);
    }
    NSError *error = nil;
    id<MTLComputePipelineState> made = [library_.device newComputePipelineStateWithFunction:function error:&error];
    if (made == nil) {
      return Status(Code::kInternal, "the Metal kernel " + name + " cannot be made ready: " + text_of(error));
    }
    ready_[name] = made;
    return made;
  }

 private:
  id<MTLLibrary> library_;
  Mutex mutex_;
  std::map<std::string, id<MTLComputePipelineState>> ready_;
};

class MetalCommands final : public GpuCommands {
 public:
  MetalCommands(std::shared_ptr<Pipelines> pipelines, id<MTLCommandBuffer> commands)
      : pipelines_(std::move(pipelines)), commands_(commands) {}
  MetalCommands(const MetalCommands &) = delete;
  MetalCommands &operator=(const MetalCommands &) = delete;
  // Encoders have to be ended, also of commands that nobody wants any more.
  ~MetalCommands() override { end(); }

  void dispatch(const std::string &kernel, const KernelGrid &grid, std::span<const GpuBinding> buffers,
                std::span<const std::byte> params) override {
    // Threads of the core have no pool of their own.
    @autoreleasepool {
      const Result<id<MTLComputePipelineState>> pipeline = pipelines_->get(kernel);
      if (!pipeline) {
        failure_ = failure_.is_ok() ? pipeline.status() : failure_;
        return;
      }
      encode(*pipeline, grid, buffers, params);
    }
  }

  void copy(const GpuBinding &from, const GpuBinding &to, std::size_t bytes) override {
    if (copy_ == nil) {
      end();
      @autoreleasepool {
        copy_ = [commands_ blitCommandEncoder];
      }
    }
    [copy_ copyFromBuffer:buffer_of(from)
             sourceOffset:from.offset_bytes
                 toBuffer:buffer_of(to)
        destinationOffset:to.offset_bytes
                     size:bytes];
  }

  void commit() override {
    end();
    [commands_ commit];
  }

  Status wait() override {
    @autoreleasepool {
      return waited();
    }
  }

 private:
  Status waited() {
    [commands_ waitUntilCompleted];
    if (!failure_.is_ok()) {
      return failure_;
    }
    if (commands_.status != MTLCommandBufferStatusError) {
      return Status::ok();
    }
    NSError *error = commands_.error;
    if (error.code == MTLCommandBufferErrorNotPermitted) {
      return {Code::kIo, "the system took the GPU from the app, which is in the background"};
    }
    return {Code::kIo, "the GPU stopped: " + text_of(error)};
  }

  void encode(id<MTLComputePipelineState> pipeline, const KernelGrid &grid, std::span<const GpuBinding> buffers,
              std::span<const std::byte> params) {
    if (compute_ == nil) {
      end();
      compute_ = [commands_ computeCommandEncoder];
    }
    [compute_ setComputePipelineState:pipeline];
    NSUInteger index = 0;
    for (const GpuBinding &binding : buffers) {
      [compute_ setBuffer:buffer_of(binding) offset:binding.offset_bytes atIndex:index++];
    }
    [compute_ setBytes:params.data() length:params.size() atIndex:index];
    if (grid.threadgroup_bytes > 0) {
      [compute_ setThreadgroupMemoryLength:grid.threadgroup_bytes atIndex:0];
    }
    [compute_ dispatchThreadgroups:MTLSizeMake(grid.groups_x, grid.groups_y, grid.groups_z)
             threadsPerThreadgroup:MTLSizeMake(grid.threads, 1, 1)];
  }

  void end() {
    [compute_ endEncoding];
    [copy_ endEncoding];
    compute_ = nil;
    copy_ = nil;
  }

  std::shared_ptr<Pipelines> pipelines_;
  id<MTLCommandBuffer> commands_;
  id<MTLComputeCommandEncoder> compute_ = nil;
  id<MTLBlitCommandEncoder> copy_ = nil;
  Status failure_;
};

class MetalDevice final : public GpuDevice {
 public:
  MetalDevice(id<MTLDevice> device, id<MTLLibrary> library)
      : device_(device), queue_([device newCommandQueue]), pipelines_(std::make_shared<Pipelines>(library)) {}

  Result<std::shared_ptr<HostBuffer>> allocate(std::size_t bytes) override {
    @autoreleasepool {
      id<MTLBuffer> buffer = nil;
      if (bytes <= device_.maxBufferLength) {
        buffer = [device_ newBufferWithLength:std::max(bytes, kLeastBytes) options:MTLResourceStorageModeShared];
      }
      if (buffer == nil) {
        return Status(Code::kOutOfMemory, "the GPU has no memory for a buffer of " + std::to_string(bytes) + " bytes");
      }
      return std::shared_ptr<HostBuffer>(std::make_shared<MetalBuffer>(buffer, bytes));
    }
  }

  Result<std::unique_ptr<GpuCommands>> begin() override {
    @autoreleasepool {
      id<MTLCommandBuffer> commands = [queue_ commandBuffer];
      if (commands == nil) {
        return Status(Code::kIo, "the GPU gives no command buffer");
      }
      return std::unique_ptr<GpuCommands>(std::make_unique<MetalCommands>(pipelines_, commands));
    }
  }

 private:
  id<MTLDevice> device_;
  id<MTLCommandQueue> queue_;
  std::shared_ptr<Pipelines> pipelines_;
};

id<MTLDevice> device_number(int index) {
#if TARGET_OS_OSX
  NSArray<id<MTLDevice>> *all = MTLCopyAllDevices();
  return index > 0 && static_cast<NSUInteger>(index) < all.count ? all[static_cast<NSUInteger>(index)]
         : index == 0                                            ? MTLCreateSystemDefaultDevice()
                                                                 : nil;
#else
  return index == 0 ? MTLCreateSystemDefaultDevice() : nil;
#endif
}

Result<std::shared_ptr<GpuDevice>> opened(int index) {
  id<MTLDevice> device = device_number(index);
  if (device == nil) {
    return Status(Code::kUnsupported, "there is no GPU number " + std::to_string(index));
  }
  const std::string name = device.name.UTF8String;
  if (![device supportsFamily:MTLGPUFamilyApple7]) {
    return Status(Code::kUnsupported, "the GPU, " + name + ", is older than those of A14 and M1, or a simulator's");
  }
  MTLCompileOptions *options = [[MTLCompileOptions alloc] init];
  options.languageVersion = MTLLanguageVersion2_3;
  // A mask's -infinity has to stay what it is.
  options.fastMathEnabled = NO;
  NSError *error = nil;
  id<MTLLibrary> library = [device newLibraryWithSource:string_of(kKernelsText) options:options error:&error];
  if (library == nil) {
    return Status(Code::kUnsupported, "the kernels do not compile for the GPU, " + name + ": " + text_of(error));
  }
  return std::shared_ptr<GpuDevice>(std::make_shared<MetalDevice>(device, library));
}

}  // namespace

bool gpu_is_built() { return true; }

Result<std::shared_ptr<GpuDevice>> open_gpu(int index) {
  static Mutex mutex;
  static std::map<int, Result<std::shared_ptr<GpuDevice>>> known;
  const std::lock_guard lock(mutex);
  auto found = known.find(index);
  if (found == known.end()) {
    @autoreleasepool {
      found = known.emplace(index, opened(index)).first;
    }
  }
  return found->second;
}

}  // namespace speech
