// Memory and weights of the Metal back-end; see metal_backend.h. The operations are in metal_stream.cpp.
#include "backend/metal/metal_backend.h"

#include <string>
#include <utility>

#include "backend/metal/gpu_health.h"
#include "backend/metal/metal_stream.h"
#include "kernels/select.h"

namespace speech {
namespace {

class MetalBackend final : public Backend {
 public:
  MetalBackend(std::shared_ptr<GpuDevice> device, std::shared_ptr<GpuHealth> health, std::uint64_t most_work,
               const KernelTable& kernels)
      : device_(device), health_(health), stream_(std::move(device), std::move(health), most_work, kernels) {}

  std::string_view name() const override { return "metal"; }

  std::string remark() const override { return health_->remark(); }

  Status check_model(std::int64_t head_width) const override {
    if (head_width > kWidestHead) {
      return {Code::kUnsupported, "its attention has heads of " + std::to_string(head_width) +
                                      " values; the GPU's kernels take at most " + std::to_string(kWidestHead)};
    }
    return Status::ok();
  }

  Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) override {
    SPEECH_ASSIGN_OR_RETURN(std::shared_ptr<HostBuffer> buffer, device_->allocate(bytes));
    return std::shared_ptr<Buffer>(std::move(buffer));
  }

  std::size_t weight_bytes(DType dtype, const Shape& shape) const override {
    return row_bytes(dtype, shape.elements());
  }

  Status load_weight(const Tensor& dst, const WeightSource& source) override { return load_rows(dst, source); }

  Stream& stream() override { return stream_; }

 private:
  std::shared_ptr<GpuDevice> device_;
  std::shared_ptr<GpuHealth> health_;
  MetalStream stream_;
};

}  // namespace

bool metal_is_built() { return gpu_is_built(); }

Result<BackendFactory> open_metal(int index) {
  SPEECH_ASSIGN_OR_RETURN(std::shared_ptr<GpuDevice> gpu, open_gpu(index));
  return metal_backend_factory(std::move(gpu));
}

BackendFactory metal_backend_factory(std::shared_ptr<GpuDevice> device, std::uint64_t most_work) {
  return [device = std::move(device), health = std::make_shared<GpuHealth>(),
          most_work]() -> Result<std::unique_ptr<Backend>> {
    SPEECH_RETURN_IF_ERROR(active_kernels().status());
    return std::unique_ptr<Backend>(
        std::make_unique<MetalBackend>(device, health, most_work, *active_kernels().value()));
  };
}

}  // namespace speech
