// Addresses of tensors, and weights as rows; see host_buffer.h.

#include "backend/host_buffer.h"

#include <cstdint>
#include <cstring>

#include "backend/check.h"
#include "backend/cpu/cpu_buffer.h"

namespace speech {
namespace {

// (D, C, W) -> (D, W, C)
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

}  // namespace

bool is_packed(const Tensor& tensor) {
  SPEECH_CHECK(tensor.buffer != nullptr);
  return static_cast<const HostBuffer&>(*tensor.buffer).holds_panels();
}

std::byte* host_bytes(const Tensor& tensor) {
  SPEECH_CHECK(tensor.buffer != nullptr);
  const auto& buffer = static_cast<const HostBuffer&>(*tensor.buffer);
  SPEECH_CHECK(tensor.offset_bytes <= buffer.bytes() && tensor.bytes() <= buffer.bytes() - tensor.offset_bytes);
  return buffer.data() + tensor.offset_bytes;
}

Status load_rows(const Tensor& dst, const WeightSource& source) {
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

}  // namespace speech
