// The operations of the CPU back-end; see cpu_stream.h.

#include "backend/cpu/cpu_stream.h"

#include <algorithm>
#include <cstring>

#include "backend/check.h"
#include "backend/cpu/attend.h"
#include "backend/cpu/attend_weights.h"
#include "backend/cpu/cpu_buffer.h"
#include "backend/cpu/linear.h"
#include "tensor/dtype.h"

namespace speech {
namespace {

// The kernels read the blocks of tensor/dtype.h by byte offsets of their own.
static_assert(offsetof(BlockQ4_0, codes) == 2 && offsetof(BlockQ4_1, minimum) == 2 && offsetof(BlockQ4_1, codes) == 4);
static_assert(offsetof(BlockQ5_0, high) == 2 && offsetof(BlockQ5_0, codes) == 6);
static_assert(offsetof(BlockQ5_1, minimum) == 2 && offsetof(BlockQ5_1, high) == 4 && offsetof(BlockQ5_1, codes) == 8);
static_assert(offsetof(BlockQ8_0, codes) == 2 && kFormatBlock == kQuantBlock);
static_assert(offsetof(BlockQ2_K, codes) == 16 && offsetof(BlockQ2_K, scale) == 80 &&
              offsetof(BlockQ2_K, minimum) == 82);
static_assert(offsetof(BlockQ3_K, codes) == 32 && offsetof(BlockQ3_K, scales) == 96 &&
              offsetof(BlockQ3_K, scale) == 108);
static_assert(offsetof(BlockQ4_K, minimum) == 2 && offsetof(BlockQ4_K, scales) == 4 &&
              offsetof(BlockQ4_K, codes) == 16);
static_assert(offsetof(BlockQ5_K, scales) == 4 && offsetof(BlockQ5_K, high) == 16 && offsetof(BlockQ5_K, codes) == 48);
static_assert(offsetof(BlockQ6_K, high) == 128 && offsetof(BlockQ6_K, scales) == 192);
static_assert(offsetof(BlockQ6_K, scale) == 208 && kSuperBlock == 256);

// Rows of a cheap row-wise operation that one task does: enough work to be worth handing to a thread.
constexpr std::int64_t kRowsPerTask = 32;

bool is_float_row(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF16; }

const float* optional_f32(const Tensor& tensor, std::int64_t elements) {
  if (!tensor) {
    return nullptr;
  }
  SPEECH_CHECK(tensor.dtype == DType::kF32 && tensor.shape.elements() == elements);
  return host_values<float>(tensor);
}

float* f32(const Tensor& tensor) {
  SPEECH_CHECK(tensor.dtype == DType::kF32);
  return host_values<float>(tensor);
}

const std::int32_t* i32(const Tensor& tensor, std::int64_t elements) {
  SPEECH_CHECK(tensor.dtype == DType::kI32 && tensor.shape.elements() == elements);
  return host_values<std::int32_t>(tensor);
}

}  // namespace

CpuStream::CpuStream(const KernelTable& kernels)
    : kernels_(kernels), runner_(std::max(multiply_scratch_floats(), attend_scratch_floats())) {}

bool CpuStream::begin() {
  pending_ = true;
  if (status_.is_ok()) {
    end(!runner_.should_abort());
  }
  return status_.is_ok();
}

void CpuStream::end(bool finished) {
  if (!finished) {
    status_ = Status(Code::kCancelled, "the abort callback stopped the computation");
  }
}

void CpuStream::upload(const Tensor& dst, std::span<const std::byte> data) {
  if (!begin()) {
    return;
  }
  SPEECH_CHECK(data.size() == dst.bytes());
  if (!data.empty()) {
    std::memcpy(host_bytes(dst), data.data(), data.size());
  }
}

void CpuStream::convolve(const Tensor& weight, const Tensor& bias, const Tensor& in, int stride, Activation activation,
                         const Tensor& out) {
  if (!begin()) {
    return;
  }
  const std::int64_t channels = in.columns();
  const std::int64_t width = weight.shape[0];
  SPEECH_CHECK(weight.shape.rank() == 3 && weight.shape[1] == channels && weight.shape[2] == 3);
  SPEECH_CHECK(is_float_row(weight.dtype));
  SPEECH_CHECK(stride >= 1 && in.rows() >= 1 && out.rows() == (in.rows() - 1) / stride + 1 && out.columns() == width);
  SPEECH_CHECK(is_float_row(out.dtype));
  const std::int64_t k = channels * 3;
  end(multiply(kernels_, runner_,
               {.weight = host_bytes(weight),
                .format = weight_format(weight.dtype),
                .weight_stride_bytes = row_bytes(weight.dtype, k),
                .n_out = static_cast<std::size_t>(width),
                .k = static_cast<std::size_t>(k),
                .in = f32(in),
                .n_rows = static_cast<std::size_t>(out.rows()),
                .in_step = static_cast<std::ptrdiff_t>(stride * channels),
                .in_offset = static_cast<std::ptrdiff_t>(-channels),
                .in_size = static_cast<std::ptrdiff_t>(in.shape.elements()),
                .bias = optional_f32(bias, width),
                .gelu = activation == Activation::kGelu,
                .out = host_bytes(out),
                .out_is_f16 = out.dtype == DType::kF16}));
}

void CpuStream::linear(const Tensor& weight, const Tensor& bias, const Tensor& in, Activation activation,
                       const Tensor& residual, const Tensor& out) {
  if (!begin()) {
    return;
  }
  const std::int64_t k = weight.columns();
  const std::int64_t n_out = weight.rows();
  const std::int64_t n_rows = in.rows();
  SPEECH_CHECK(in.columns() == k && out.columns() == n_out && out.rows() == n_rows && is_float_row(out.dtype));
  SPEECH_CHECK(k % block_info(weight.dtype).values == 0);
  end(multiply(kernels_, runner_,
               {.weight = host_bytes(weight),
                .format = weight_format(weight.dtype),
                .packed = is_packed(weight),
                .weight_stride_bytes = row_bytes(weight.dtype, k),
                .n_out = static_cast<std::size_t>(n_out),
                .k = static_cast<std::size_t>(k),
                .in = f32(in),
                .n_rows = static_cast<std::size_t>(n_rows),
                .in_step = static_cast<std::ptrdiff_t>(k),
                .in_offset = 0,
                .in_size = static_cast<std::ptrdiff_t>(in.shape.elements()),
                .bias = optional_f32(bias, n_out),
                .gelu = activation == Activation::kGelu,
                .residual = optional_f32(residual, n_rows * n_out),
                .out = host_bytes(out),
                .out_is_f16 = out.dtype == DType::kF16}));
}

void CpuStream::layer_norm(const Tensor& in, const Tensor& gamma, const Tensor& beta, const Tensor& out) {
  if (!begin()) {
    return;
  }
  const std::int64_t rows = in.rows();
  const std::int64_t width = in.columns();
  SPEECH_CHECK(out.rows() == rows && out.columns() == width && gamma && beta);
  const float* from = f32(in);
  const float* scale = optional_f32(gamma, width);
  const float* shift = optional_f32(beta, width);
  float* to = f32(out);
  const auto n_tasks = static_cast<int>((rows + kRowsPerTask - 1) / kRowsPerTask);
  end(runner_.run(n_tasks, false, [&](int task, float*) {
    const std::int64_t first = task * kRowsPerTask;
    for (std::int64_t row = first; row < std::min(rows, first + kRowsPerTask); ++row) {
      kernels_.layer_norm(from + row * width, scale, shift, static_cast<std::size_t>(width), to + row * width);
    }
  }));
}

void CpuStream::add(const Tensor& x, const Tensor& table) {
  if (!begin()) {
    return;
  }
  SPEECH_CHECK(table && x.shape.elements() == table.shape.elements());
  kernels_.add(f32(x), f32(table), static_cast<std::size_t>(x.shape.elements()));
}

void CpuStream::embed(const Tensor& tokens, const Tensor& positions, const Tensor& token_table,
                      const Tensor& position_table, const Tensor& out) {
  if (!begin()) {
    return;
  }
  const std::int64_t rows = out.rows();
  const std::int64_t width = out.columns();
  SPEECH_CHECK(token_table.columns() == width && position_table.columns() == width);
  const std::int32_t* token = i32(tokens, rows);
  const std::int32_t* position = i32(positions, rows);
  const std::byte* table = host_bytes(token_table);
  const float* position_rows = f32(position_table);
  float* to = f32(out);
  const std::size_t stride = row_bytes(token_table.dtype, width);
  const auto n = static_cast<std::size_t>(width);
  for (std::int64_t row = 0; row < rows; ++row) {
    SPEECH_CHECK(token[row] >= 0 && token[row] < token_table.rows());
    SPEECH_CHECK(position[row] >= 0 && position[row] < position_table.rows());
    if (is_packed(token_table)) {
      widen_packed_row(kernels_, weight_format(token_table.dtype), table, static_cast<std::size_t>(token[row]), n,
                       to + row * width);
    } else {
      kernels_.to_f32[weight_format(token_table.dtype)](table + static_cast<std::size_t>(token[row]) * stride, stride,
                                                        1, n, to + row * width, n);
    }
    kernels_.add(to + row * width, position_rows + position[row] * width, n);
  }
}

void CpuStream::attend(const Tensor& q, const Tensor& k, const Tensor& v, int n_heads, const Tensor& mask,
                       const Tensor& out) {
  if (!begin()) {
    return;
  }
  const std::int64_t rows = q.rows();
  const std::int64_t keys = k.rows();
  const std::int64_t width = q.columns();
  SPEECH_CHECK(n_heads >= 1 && width % n_heads == 0 && keys >= 1);
  SPEECH_CHECK(k.columns() == width && v.columns() == width && v.rows() == keys);
  SPEECH_CHECK(is_float_row(k.dtype) && is_float_row(v.dtype));
  SPEECH_CHECK(out.rows() == rows && out.columns() == width);
  end(speech::attend(kernels_, runner_,
                     {.q = f32(q),
                      .n_rows = static_cast<std::size_t>(rows),
                      .k = host_bytes(k),
                      .v = host_bytes(v),
                      .k_format = weight_format(k.dtype),
                      .v_format = weight_format(v.dtype),
                      .n_keys = static_cast<std::size_t>(keys),
                      .width = static_cast<std::size_t>(width),
                      .n_heads = static_cast<std::size_t>(n_heads),
                      .mask = optional_f32(mask, rows * keys),
                      .out = f32(out)}));
}

void CpuStream::attend_weights(const Tensor& q, const Tensor& k, int n_heads, int head, const Tensor& out) {
  if (!begin()) {
    return;
  }
  const std::int64_t rows = q.rows();
  const std::int64_t keys = k.rows();
  const std::int64_t width = q.columns();
  SPEECH_CHECK(n_heads >= 1 && width % n_heads == 0 && head >= 0 && head < n_heads && keys >= 1);
  SPEECH_CHECK(k.columns() == width && is_float_row(k.dtype) && out.rows() == rows && out.columns() == keys);
  const std::int64_t head_width = width / n_heads;
  end(speech::attend_weights(kernels_, runner_,
                             {.q = f32(q) + head * head_width,
                              .n_rows = static_cast<std::size_t>(rows),
                              .k = host_bytes(k) + row_bytes(k.dtype, head * head_width),
                              .k_format = weight_format(k.dtype),
                              .k_stride_bytes = row_bytes(k.dtype, width),
                              .n_keys = static_cast<std::size_t>(keys),
                              .width = static_cast<std::size_t>(width),
                              .head_width = static_cast<std::size_t>(head_width),
                              .out = f32(out)}));
}

void CpuStream::gather(const Tensor& in, const Tensor& rows, const Tensor& out) {
  if (!begin()) {
    return;
  }
  SPEECH_CHECK(in.dtype == out.dtype && in.columns() == out.columns());
  const std::int32_t* row = i32(rows, out.rows());
  const std::size_t bytes = row_bytes(in.dtype, in.columns());
  for (std::int64_t r = 0; r < out.rows(); ++r) {
    SPEECH_CHECK(row[r] >= 0 && row[r] < in.rows());
    std::memcpy(host_bytes(out) + static_cast<std::size_t>(r) * bytes,
                host_bytes(in) + static_cast<std::size_t>(row[r]) * bytes, bytes);
  }
}

Status CpuStream::wait() {
  pending_ = false;
  return std::exchange(status_, Status::ok());
}

Result<std::span<const float>> CpuStream::read(const Tensor& tensor) {
  if (pending_) {
    return Status(Code::kInternal, "a tensor was read while recorded operations were pending; call wait() first");
  }
  return std::span<const float>(f32(tensor), static_cast<std::size_t>(tensor.shape.elements()));
}

void CpuStream::set_abort_callback(AbortCallback callback, void* user_data) {
  runner_.set_abort_callback(callback, user_data);
}

void CpuStream::set_n_threads(int n_threads) { runner_.set_n_threads(n_threads); }

}  // namespace speech
