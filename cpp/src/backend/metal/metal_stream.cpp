// Records operations as kernels; see metal_stream.h.
#include "backend/metal/metal_stream.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "backend/check.h"
#include "base/log.h"

namespace speech {
namespace {

// Command buffers on their way: the next one is recorded while the GPU computes, and an abort waits for no more.
constexpr std::size_t kMostCommitted = 2;
// After a failure: about one window's steps, since a GPU that is taken away stays away for a while.
constexpr int kWaitsOnCpu = 32;
constexpr std::size_t kStagingBytes = std::size_t{1} << 20U;
constexpr std::size_t kAlignment = 64;

std::uint32_t number(std::int64_t n) { return static_cast<std::uint32_t>(n); }

bool is_float_row(DType dtype) { return dtype == DType::kF32 || dtype == DType::kF16; }

bool is_f32(const Tensor& tensor, std::int64_t elements) {
  return tensor && tensor.dtype == DType::kF32 && tensor.shape.elements() == elements;
}

bool is_empty_or_f32(const Tensor& tensor, std::int64_t elements) { return !tensor || is_f32(tensor, elements); }

std::string kernel_name(const char* form, DType dtype) {
  return form + std::string("_") + std::string(dtype_name(dtype)) + "_metal";
}

GpuBinding binding_of(const Tensor& tensor) {
  (void)host_bytes(tensor);  // checks that it lies in its buffer
  return {static_cast<const HostBuffer*>(tensor.buffer), tensor.offset_bytes};
}

std::uint32_t flags_of(const Tensor& bias, Activation activation, const Tensor& residual, const Tensor& out) {
  return (bias ? kLinearBias : 0) | (activation == Activation::kGelu ? kLinearGelu : 0) |
         (residual ? kLinearResidual : 0) | (out.dtype == DType::kF16 ? kLinearHalfOut : 0);
}

}  // namespace

MetalStream::MetalStream(std::shared_ptr<GpuDevice> device, std::shared_ptr<GpuHealth> health, std::uint64_t most_work,
                         const KernelTable& kernels)
    : device_(std::move(device)), health_(std::move(health)), cpu_(kernels), most_work_(most_work) {}

// What is on its way writes into buffers that their owners may free behind us.
MetalStream::~MetalStream() { wait_for_all(); }

bool MetalStream::begin(Operation operation) {
  pending_ = true;
  if (!status_.is_ok()) {
    return false;
  }
  if (waits_on_cpu_ > 0) {
    operation(cpu_);
    return false;
  }
  operations_.push_back(std::move(operation));
  if (commands_ == nullptr) {
    Result<std::unique_ptr<GpuCommands>> commands = device_->begin();
    if (!commands) {
      fall_back(commands.status());
      return false;
    }
    commands_ = std::move(commands).value();
  }
  return true;
}

template <typename Params>
void MetalStream::dispatch(const std::string& kernel, const KernelGrid& grid, std::initializer_list<Tensor> tensors,
                           const Params& params, std::uint64_t work) {
  std::vector<GpuBinding> bindings;
  for (const Tensor& tensor : tensors) {
    // What is absent is bound to what is there, and not read.
    bindings.push_back(binding_of(tensor ? tensor
                                         : *std::find_if(tensors.begin(), tensors.end(),
                                                         [](const Tensor& one) { return static_cast<bool>(one); })));
  }
  commands_->dispatch(kernel, grid, bindings, std::as_bytes(std::span(&params, 1)));
  worked(work);
}

void MetalStream::worked(std::uint64_t work) {
  work_ += work;
  if (work_ >= most_work_) {
    commit();
  }
}

void MetalStream::commit() {
  work_ = 0;
  if (commands_ == nullptr) {
    return;
  }
  if (abort_ != nullptr && abort_(abort_data_)) {
    commands_.reset();
    status_ = Status(Code::kCancelled, "the abort callback stopped the computation");
    return;
  }
  commands_->commit();
  committed_.push_back(std::move(commands_));
  if (committed_.size() > kMostCommitted) {
    const Status done = finish_one();
    if (!done.is_ok()) {
      fall_back(done);
    }
  }
}

Status MetalStream::finish_one() {
  const std::unique_ptr<GpuCommands> oldest = std::move(committed_.front());
  committed_.pop_front();
  return oldest->wait();
}

void MetalStream::wait_for_all() {
  while (!committed_.empty()) {
    (void)finish_one();
  }
}

void MetalStream::fall_back(const Status& why) {
  commands_.reset();
  wait_for_all();
  health_->failed(why.message());
  log(LogLevel::kWarn, "the GPU failed, the CPU goes on: %s", why.message().c_str());
  waits_on_cpu_ = kWaitsOnCpu;
  for (const Operation& operation : std::exchange(operations_, {})) {
    operation(cpu_);
  }
}

Result<GpuBinding> MetalStream::staged(std::span<const std::byte> data) {
  const std::size_t begin = (staged_bytes_ + kAlignment - 1) / kAlignment * kAlignment;
  if (staging_.empty() || begin + data.size() > staging_.back()->bytes()) {
    SPEECH_ASSIGN_OR_RETURN(std::shared_ptr<HostBuffer> more, device_->allocate(std::max(data.size(), kStagingBytes)));
    staging_.push_back(std::move(more));
    staged_bytes_ = 0;
  }
  const std::size_t at = staged_bytes_ == 0 ? 0 : begin;
  std::memcpy(staging_.back()->data() + at, data.data(), data.size());
  staged_bytes_ = at + data.size();
  return GpuBinding{staging_.back().get(), at};
}

void MetalStream::upload(const Tensor& dst, std::span<const std::byte> data) {
  SPEECH_CHECK(data.size() == dst.bytes());
  if (data.empty() ||
      !begin([dst, copy = std::vector<std::byte>(data.begin(), data.end())](Stream& s) { s.upload(dst, copy); })) {
    return;
  }
  const Result<GpuBinding> from = staged(data);
  if (!from) {
    return fall_back(from.status());
  }
  commands_->copy(*from, binding_of(dst), data.size());
}

void MetalStream::convolve(const Tensor& weight, const Tensor& bias, const Tensor& in, int stride,
                           Activation activation, const Tensor& out) {
  const std::int64_t channels = in.columns();
  const std::int64_t width = weight.shape[0];
  SPEECH_CHECK(weight.shape.rank() == 3 && weight.shape[1] == channels && weight.shape[2] == 3);
  SPEECH_CHECK(is_float_row(weight.dtype) && is_f32(in, in.shape.elements()) && is_empty_or_f32(bias, width));
  SPEECH_CHECK(stride >= 1 && in.rows() >= 1 && out.rows() == (in.rows() - 1) / stride + 1 && out.columns() == width);
  SPEECH_CHECK(is_float_row(out.dtype));
  if (!begin([=](Stream& s) { s.convolve(weight, bias, in, stride, activation, out); })) {
    return;
  }
  const LinearParams params = {.n_rows = number(out.rows()),
                               .n_out = number(width),
                               .k = number(channels * 3),
                               .in_step = static_cast<std::int32_t>(stride * channels),
                               .in_offset = static_cast<std::int32_t>(-channels),
                               .in_size = static_cast<std::int32_t>(in.shape.elements()),
                               .flags = flags_of(bias, activation, {}, out)};
  dispatch(kernel_name("linear_matrix", weight.dtype), linear_matrix_grid(params), {weight, bias, in, {}, out}, params,
           std::uint64_t{params.n_rows} * params.n_out * params.k);
}

void MetalStream::linear(const Tensor& weight, const Tensor& bias, const Tensor& in, Activation activation,
                         const Tensor& residual, const Tensor& out) {
  const std::int64_t k = weight.columns();
  const std::int64_t n_out = weight.rows();
  const std::int64_t n_rows = in.rows();
  SPEECH_CHECK(in.columns() == k && is_f32(in, n_rows * k) && k % block_info(weight.dtype).values == 0);
  SPEECH_CHECK(out.columns() == n_out && out.rows() == n_rows && is_float_row(out.dtype));
  SPEECH_CHECK(is_empty_or_f32(bias, n_out) && is_empty_or_f32(residual, n_rows * n_out));
  if (n_rows == 0 || !begin([=](Stream& s) { s.linear(weight, bias, in, activation, residual, out); })) {
    return;
  }
  const LinearParams params = {.n_rows = number(n_rows),
                               .n_out = number(n_out),
                               .k = number(k),
                               .in_step = static_cast<std::int32_t>(k),
                               .in_offset = 0,
                               .in_size = static_cast<std::int32_t>(n_rows * k),
                               .flags = flags_of(bias, activation, residual, out)};
  const bool is_vector = takes_vector_form(params.n_rows);
  dispatch(kernel_name(is_vector ? "linear_vector" : "linear_matrix", weight.dtype),
           is_vector ? linear_vector_grid(params) : linear_matrix_grid(params), {weight, bias, in, residual, out},
           params, std::uint64_t{params.n_rows} * params.n_out * params.k);
}

void MetalStream::layer_norm(const Tensor& in, const Tensor& gamma, const Tensor& beta, const Tensor& out) {
  const std::int64_t rows = in.rows();
  const std::int64_t width = in.columns();
  SPEECH_CHECK(is_f32(in, rows * width) && is_f32(gamma, width) && is_f32(beta, width));
  SPEECH_CHECK(is_f32(out, rows * width) && out.columns() == width);
  if (rows == 0 || !begin([=](Stream& s) { s.layer_norm(in, gamma, beta, out); })) {
    return;
  }
  const LayerNormParams params = {number(width)};
  dispatch(kernel_name("layer_norm", DType::kF32), layer_norm_grid(number(rows)), {in, gamma, beta, out}, params, 0);
}

void MetalStream::add(const Tensor& x, const Tensor& table) {
  const std::int64_t count = x.shape.elements();
  SPEECH_CHECK(is_f32(x, count) && is_f32(table, count));
  if (count == 0 || !begin([=](Stream& s) { s.add(x, table); })) {
    return;
  }
  const AddParams params = {number(count)};
  dispatch(kernel_name("add", DType::kF32), add_grid(params), {x, table}, params, 0);
}

void MetalStream::embed(const Tensor& tokens, const Tensor& positions, const Tensor& token_table,
                        const Tensor& position_table, const Tensor& out) {
  const std::int64_t rows = out.rows();
  const std::int64_t width = out.columns();
  SPEECH_CHECK(token_table.columns() == width && position_table.columns() == width && is_f32(out, rows * width));
  SPEECH_CHECK(tokens.dtype == DType::kI32 && tokens.shape.elements() == rows);
  SPEECH_CHECK(positions.dtype == DType::kI32 && positions.shape.elements() == rows);
  if (rows == 0 || !begin([=](Stream& s) { s.embed(tokens, positions, token_table, position_table, out); })) {
    return;
  }
  const LookupParams params = {number(rows), number(width)};
  dispatch(kernel_name("embed", token_table.dtype), embed_grid(params),
           {tokens, positions, token_table, position_table, out}, params, 0);
}

void MetalStream::attend(const Tensor& q, const Tensor& k, const Tensor& v, int n_heads, const Tensor& mask,
                         const Tensor& out) {
  const std::int64_t rows = q.rows();
  const std::int64_t keys = k.rows();
  const std::int64_t width = q.columns();
  SPEECH_CHECK(n_heads >= 1 && width % n_heads == 0 && keys >= 1 && width / n_heads <= kWidestHead);
  SPEECH_CHECK(k.columns() == width && v.columns() == width && v.rows() == keys);
  SPEECH_CHECK(is_float_row(k.dtype) && v.dtype == k.dtype && is_f32(q, rows * width) && is_f32(out, rows * width));
  SPEECH_CHECK(is_empty_or_f32(mask, rows * keys));
  if (rows == 0 || !begin([=](Stream& s) { s.attend(q, k, v, n_heads, mask, out); })) {
    return;
  }
  const auto head_width = number(width / n_heads);
  const AttendParams params = {.n_rows = number(rows),
                               .n_keys = number(keys),
                               .width = number(width),
                               .head_width = head_width,
                               .has_mask = mask ? 1U : 0U,
                               .scale = 1.0F / std::sqrt(static_cast<float>(head_width))};
  const bool is_vector = takes_vector_form(params.n_rows);
  dispatch(kernel_name(is_vector ? "attend_vector" : "attend_matrix", k.dtype),
           is_vector ? attend_vector_grid(params) : attend_matrix_grid(params), {q, k, v, mask, out}, params,
           std::uint64_t{2} * params.n_rows * params.n_keys * params.width);
}

void MetalStream::attend_weights(const Tensor& q, const Tensor& k, int n_heads, int head, const Tensor& out) {
  const std::int64_t rows = q.rows();
  const std::int64_t keys = k.rows();
  const std::int64_t width = q.columns();
  SPEECH_CHECK(n_heads >= 1 && width % n_heads == 0 && head >= 0 && head < n_heads && keys >= 1);
  SPEECH_CHECK(k.columns() == width && is_float_row(k.dtype) && is_f32(q, rows * width));
  SPEECH_CHECK(is_f32(out, rows * keys) && out.columns() == keys);
  if (rows == 0 || !begin([=](Stream& s) { s.attend_weights(q, k, n_heads, head, out); })) {
    return;
  }
  const auto head_width = number(width / n_heads);
  const AttendWeightsParams params = {.n_keys = number(keys),
                                      .width = number(width),
                                      .head_width = head_width,
                                      .head = number(head),
                                      .scale = 1.0F / std::sqrt(static_cast<float>(head_width))};
  dispatch(kernel_name("attend_weights", k.dtype), attend_weights_grid(number(rows)), {q, k, out}, params,
           std::uint64_t{number(rows)} * params.n_keys * params.head_width);
}

void MetalStream::gather(const Tensor& in, const Tensor& rows, const Tensor& out) {
  SPEECH_CHECK(in.dtype == out.dtype && is_float_row(in.dtype) && in.columns() == out.columns());
  SPEECH_CHECK(rows.dtype == DType::kI32 && rows.shape.elements() == out.rows());
  if (out.rows() == 0 || !begin([=](Stream& s) { s.gather(in, rows, out); })) {
    return;
  }
  const LookupParams params = {number(out.rows()), number(out.columns())};
  dispatch(kernel_name("gather", in.dtype), gather_grid(params), {in, rows, out}, params, 0);
}

void MetalStream::submit() { commit(); }

Status MetalStream::wait() {
  commit();
  while (!committed_.empty()) {
    const Status done = finish_one();
    // What was cancelled is not wanted any more.
    if (!done.is_ok() && status_.is_ok()) {
      fall_back(done);
    }
  }
  if (waits_on_cpu_ > 0) {
    const Status by_cpu = cpu_.wait();
    status_ = status_.is_ok() ? by_cpu : status_;
    --waits_on_cpu_;
  }
  operations_.clear();
  if (staging_.size() > 1) {
    staging_.erase(staging_.begin(), staging_.end() - 1);
  }
  staged_bytes_ = 0;
  pending_ = false;
  return std::exchange(status_, Status::ok());
}

Result<std::span<const float>> MetalStream::read(const Tensor& tensor) {
  if (pending_) {
    return Status(Code::kInternal, "a tensor was read while recorded operations were pending; call wait() first");
  }
  return std::span<const float>(host_values<float>(tensor), static_cast<std::size_t>(tensor.shape.elements()));
}

void MetalStream::set_abort_callback(AbortCallback callback, void* user_data) {
  abort_ = callback;
  abort_data_ = user_data;
  cpu_.set_abort_callback(callback, user_data);
}

}  // namespace speech
