// Memory and weights of the CPU back-end; see cpu_backend.h. The operations are in cpu_stream.cpp.

#include "backend/cpu/cpu_backend.h"

#include <cstring>
#include <new>
#include <string>

#include "backend/check.h"
#include "backend/cpu/cpu_buffer.h"
#include "backend/cpu/cpu_stream.h"

namespace speech {
namespace {

constexpr std::align_val_t kAlignment{64};
// No machine that we run on has more; asking the allocator for such sizes is an error by itself under AddressSanitizer.
constexpr std::size_t kMaxBytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 40 : 30);

// (D, C, W) -> (D, W, C), so that the W * C values that a convolution multiplies lie in the order of its input rows.
template <typename T>
void swap_inner(const std::byte* file, const Shape& shape, std::byte* out) {
  const auto channels = static_cast<std::size_t>(shape[1]);
  const auto taps = static_cast<std::size_t>(shape[2]);
  for (std::size_t row = 0; row < static_cast<std::size_t>(shape[0]); ++row) {
    for (std::size_t channel = 0; channel < channels; ++channel) {
      for (std::size_t tap = 0; tap < taps; ++tap) {
        std::memcpy(out + ((row * taps + tap) * channels + channel) * sizeof(T),
                    file + ((row * channels + channel) * taps + tap) * sizeof(T), sizeof(T));
      }
    }
  }
}

class CpuBackend final : public Backend {
 public:
  std::string_view name() const override { return "cpu"; }

  Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) override { return CpuBuffer::allocate(bytes); }

  std::size_t weight_bytes(DType dtype, const Shape& shape) const override {
    return row_bytes(dtype, shape.elements());
  }

  Status load_weight(const Tensor& dst, const WeightSource& source) override {
    std::byte* const data = host_bytes(dst);
    if (dst.shape.rank() < 3) {
      return source(data, dst.bytes());
    }
    SPEECH_CHECK(dst.dtype == DType::kF32 || dst.dtype == DType::kF16);
    SPEECH_ASSIGN_OR_RETURN(const std::shared_ptr<Buffer> file, CpuBuffer::allocate(dst.bytes()));
    std::byte* const image = static_cast<CpuBuffer&>(*file).data();
    SPEECH_RETURN_IF_ERROR(source(image, dst.bytes()));
    if (dst.dtype == DType::kF32) {
      swap_inner<float>(image, dst.shape, data);
    } else {
      swap_inner<std::uint16_t>(image, dst.shape, data);
    }
    return Status::ok();
  }

  Stream& stream() override { return stream_; }

 private:
  CpuStream stream_;
};

}  // namespace

Result<std::shared_ptr<Buffer>> CpuBuffer::allocate(std::size_t bytes) {
  void* data = bytes <= kMaxBytes ? ::operator new(bytes, kAlignment, std::nothrow) : nullptr;
  if (data == nullptr) {
    return Status(Code::kOutOfMemory, "no memory for a buffer of " + std::to_string(bytes) + " bytes");
  }
  return std::shared_ptr<Buffer>(std::make_shared<CpuBuffer>(static_cast<std::byte*>(data), bytes));
}

CpuBuffer::~CpuBuffer() { ::operator delete(data_, kAlignment); }

std::byte* host_bytes(const Tensor& tensor) {
  SPEECH_CHECK(tensor.buffer != nullptr);
  const auto& buffer = static_cast<const CpuBuffer&>(*tensor.buffer);
  SPEECH_CHECK(tensor.offset_bytes <= buffer.bytes() && tensor.bytes() <= buffer.bytes() - tensor.offset_bytes);
  return buffer.data() + tensor.offset_bytes;
}

Result<std::unique_ptr<Backend>> make_cpu_backend() {
  try {
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>());
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "no memory for the scratch of the CPU back-end");
  }
}

}  // namespace speech
