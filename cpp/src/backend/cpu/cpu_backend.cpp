// Memory and weights of the CPU back-end; see cpu_backend.h. The operations are in cpu_stream.cpp.

#include "backend/cpu/cpu_backend.h"

#include <algorithm>
#include <new>
#include <string>

#include "backend/check.h"
#include "backend/cpu/cpu_buffer.h"
#include "backend/cpu/cpu_stream.h"
#include "backend/cpu/linear.h"
#include "base/pages.h"
#include "kernels/select.h"

namespace speech {
namespace {

constexpr std::align_val_t kAlignment{64};

// No machine that we run on has more; asking the allocator for such sizes is an error by itself under AddressSanitizer.
constexpr std::size_t kMaxBytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 40 : 30);

// Of a matrix at once while it is loaded: large enough for the system, small enough for a processor's second cache.
constexpr std::size_t kReadBytes = std::size_t{128} << 10U;

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
    auto& buffer = static_cast<CpuBuffer&>(*dst.buffer);
    if (becomes_panels(dst.dtype, dst.shape) && buffer.bytes() == weight_bytes(dst.dtype, dst.shape)) {
      return load_panels(dst, source, buffer);
    }
    return load_rows(dst, source);
  }

  Stream& stream() override { return stream_; }

 private:
  // Reads the rows of a few panels at a time, so that only these are in memory twice, and are still in the cache when
  // they are packed.
  Status load_panels(const Tensor& dst, const WeightSource& source, CpuBuffer& buffer) {
    const std::size_t stride = row_bytes(dst.dtype, dst.columns());
    const std::size_t panel_bytes = stride * kPanelColumns;
    const auto rows_at_once =
        static_cast<std::int64_t>(std::max<std::size_t>(1, kReadBytes / panel_bytes) * kPanelColumns);
    const auto most_rows = static_cast<std::size_t>(std::min(rows_at_once, dst.rows()));
    SPEECH_ASSIGN_OR_RETURN(std::byte* const rows, staging(stride * most_rows));
    const auto pack = kernels_.pack_rows[weight_format(dst.dtype)];
    for (std::int64_t row = 0; row < dst.rows(); row += rows_at_once) {
      const auto n_rows = static_cast<std::size_t>(std::min(rows_at_once, dst.rows() - row));
      SPEECH_RETURN_IF_ERROR(source(rows, n_rows * stride));
      std::byte* const panels = buffer.data() + static_cast<std::size_t>(row) * stride;
      fetch_pages(panels, n_rows * stride);
      for (std::size_t i = 0; i < n_rows; i += kPanelColumns) {
        pack(rows + i * stride, stride, std::min<std::size_t>(kPanelColumns, n_rows - i),
             static_cast<std::size_t>(dst.columns()), panels + i * stride);
      }
    }
    buffer.set_holds_panels();
    return Status::ok();
  }

  // Memory of at least so many bytes, the same for all weights: one that came and went with each would leave a hole
  // beside each.
  Result<std::byte*> staging(std::size_t bytes) {
    if (staging_ == nullptr || staging_->bytes() < bytes) {
      staging_.reset();
      SPEECH_ASSIGN_OR_RETURN(staging_, CpuBuffer::allocate(bytes));
    }
    return static_cast<CpuBuffer&>(*staging_).data();
  }

  const KernelTable& kernels_;
  CpuStream stream_;
  std::shared_ptr<Buffer> staging_;
};

}  // namespace

Result<std::shared_ptr<Buffer>> CpuBuffer::allocate(std::size_t bytes) {
  // Huge pages are not asked for: they made steps no faster, touched a tenth more memory, and took several times
  // as long to get where a virtual machine's host has to find them.
  void* data = bytes <= kMaxBytes ? ::operator new(bytes, kAlignment, std::nothrow) : nullptr;
  if (data == nullptr) {
    return Status(Code::kOutOfMemory, "no memory for a buffer of " + std::to_string(bytes) + " bytes");
  }
  return std::shared_ptr<Buffer>(std::make_shared<CpuBuffer>(static_cast<std::byte*>(data), bytes));
}

CpuBuffer::~CpuBuffer() { ::operator delete(data(), kAlignment); }

Result<std::unique_ptr<Backend>> make_cpu_backend() {
  SPEECH_RETURN_IF_ERROR(active_kernels().status());
  try {
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(*active_kernels().value()));
  } catch (const std::bad_alloc&) {
    return Status(Code::kOutOfMemory, "no memory for the scratch of the CPU back-end");
  }
}

}  // namespace speech
