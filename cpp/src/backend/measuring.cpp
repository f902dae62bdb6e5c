// Sizes without memory.
#include "backend/measuring.h"

#include "backend/workspace.h"

namespace speech {
namespace {

class SizeOnly final : public Buffer {
 public:
  explicit SizeOnly(std::size_t bytes) : bytes_(bytes) {}
  std::size_t bytes() const override { return bytes_; }

 private:
  std::size_t bytes_;
};

class MeasuringBackend final : public Backend {
 public:
  explicit MeasuringBackend(std::unique_ptr<Backend> real) : real_(std::move(real)) {}

  std::string_view name() const override { return real_->name(); }
  Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) override {
    return std::shared_ptr<Buffer>(std::make_shared<SizeOnly>(bytes));
  }
  std::size_t weight_bytes(DType dtype, const Shape& shape) const override { return real_->weight_bytes(dtype, shape); }
  Status load_weight(const Tensor&, const WeightSource&) override { return Status::ok(); }
  Stream& stream() override { return stream_; }

 private:
  std::unique_ptr<Backend> real_;
  MeasuringStream stream_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_measuring_backend(std::unique_ptr<Backend> real) {
  return std::unique_ptr<Backend>(std::make_unique<MeasuringBackend>(std::move(real)));
}

}  // namespace speech
