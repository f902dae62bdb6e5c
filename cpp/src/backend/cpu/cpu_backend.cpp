// Memory and weights of the CPU back-end; see cpu_backend.h. The operations are in cpu_stream.cpp.

#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <string>

#include "backend/check.h"
#include "backend/cpu/cpu_buffer.h"
#include "backend/cpu/cpu_stream.h"
#include "backend/cpu/linear.h"
#include "kernels/select.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace speech {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

// Buffers that hold huge pages as a whole begin with one.
std::align_val_t alignment_of(std::size_t bytes) {
  return bytes >= kHugePage ? std::align_val_t{kHugePage} : kAlignment;
}

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

// Matrices that linear() multiplies become panels where their format has any. A matrix of F32 stays as rows: it may be
// a table of positions, and full precision is not what anybody runs for speed.
bool becomes_panels(DType dtype, const Shape& shape) {
  if (shape.rank() != 2 || dtype == DType::kF32 || dtype == DType::kI32) {
    return false;
  }
  return weight_format(dtype) < kPanelFormats;
}

class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(const KernelTable& kernels) : kernels_(kernels), stream_(kernels) {}

  std::string_view name() const override { return "cpu"; }

  Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) override { return CpuBuffer::allocate(bytes); }

  std::size_t weight_bytes(DType dtype, const Shape& shape) const override {
    if (becomes_panels(dtype, shape)) {
      const std::int64_t panels = (shape.rows() + kPanelColumns - 1) / kPanelColumns;
      return row_bytes(dtype, panels * kPanelColumns * shape.columns());
    }
    return row_bytes(dtype, shape.elements());
  }

  Status load_weight(const Tensor& dst, const WeightSource& source) override {
    std::byte* const data = host_bytes(dst);
    auto& buffer = static_cast<CpuBuffer&>(*dst.buffer);
    if (becomes_panels(dst.dtype, dst.shape) && buffer.bytes() == weight_bytes(dst.dtype, dst.shape)) {
      return load_panels(dst, source, buffer);
    }
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
  // Reads the rows of one panel at a time, so that only these are in memory twice.
  Status load_panels(const Tensor& dst, const WeightSource& source, CpuBuffer& buffer) const {
    const std::size_t stride = row_bytes(dst.dtype, dst.columns());
    SPEECH_ASSIGN_OR_RETURN(const std::shared_ptr<Buffer> memory, CpuBuffer::allocate(stride * kPanelColumns));
    std::byte* const rows = static_cast<CpuBuffer&>(*memory).data();
    const auto pack = kernels_.pack_rows[weight_format(dst.dtype)];
    for (std::int64_t row = 0; row < dst.rows(); row += kPanelColumns) {
      const auto n_rows = static_cast<std::size_t>(std::min<std::int64_t>(kPanelColumns, dst.rows() - row));
      SPEECH_RETURN_IF_ERROR(source(rows, n_rows * stride));
      pack(rows, stride, n_rows, static_cast<std::size_t>(dst.columns()),
           buffer.data() + static_cast<std::size_t>(row) * stride);
    }
    buffer.set_holds_panels();
    return Status::ok();
  }

  const KernelTable& kernels_;
  CpuStream stream_;
};

}  // namespace

Result<std::shared_ptr<Buffer>> CpuBuffer::allocate(std::size_t bytes) {
  const std::align_val_t alignment = alignment_of(bytes);
  void* data = bytes <= kMaxBytes ? ::operator new(bytes, alignment, std::nothrow) : nullptr;
  if (data == nullptr) {
    return Status(Code::kOutOfMemory, "no memory for a buffer of " + std::to_string(bytes) + " bytes");
  }
#if defined(__linux__)
  if (alignment != kAlignment) {
    // Only a wish: weights are read from end to end, and every small page costs a look-up.
    static_cast<void>(madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE));
  }
#endif
  return std::shared_ptr<Buffer>(std::make_shared<CpuBuffer>(static_cast<std::byte*>(data), bytes));
}

CpuBuffer::~CpuBuffer() { ::operator delete(data_, alignment_of(bytes_)); }

bool is_packed(const Tensor& tensor) {
  SPEECH_CHECK(tensor.buffer != nullptr);
  return static_cast<const CpuBuffer&>(*tensor.buffer).holds_panels();
}

std::byte* host_bytes(const Tensor& tensor) {
  SPEECH_CHECK(tensor.buffer != nullptr);
  const auto& buffer = static_cast<const CpuBuffer&>(*tensor.buffer);
  SPEECH_CHECK(tensor.offset_bytes <= buffer.bytes() && tensor.bytes() <= buffer.bytes() - tensor.offset_bytes);
  return buffer.data() + tensor.offset_bytes;
}

Result<std::unique_ptr<Backend>> make_cpu_backend() {
  SPEECH_RETURN_IF_ERROR(active_kernels().status());
  try {
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(*active_kernels().value()));
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "no memory for the scratch of the CPU back-end");
  }
}

}  // namespace speech
