// What the model code sees of a device: memory, weights, and a stream of recorded operations. Must not know any device.
//
// Operations are recorded in order, submit() starts them, wait() makes their results readable. Nobody above this header
// may look at a tensor's memory before wait(). Recording never fails by itself: the first error (or an abort) sticks to
// the stream, later operations are dropped, and wait() returns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "tensor/tensor.h"

namespace speech {

/// A stretch of a back-end's memory, 64-byte aligned, freed with the object. Every back-end derives its own.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::size_t bytes() const = 0;
};

/// Gives the next `n` bytes of a tensor's file image into `out`; called with growing positions until the tensor is
/// whole.
using WeightSource = std::function<Status(void* out, std::size_t n)>;

/// What linear() and convolve() do to the sum before they store it.
enum class Activation : std::uint8_t { kNone, kGelu };

/// An ordered list of operations on one device. Letters: T or N rows, D width, H heads, V vocabulary.
/// All tensors are contiguous and must stay alive until wait(). Shapes are checked by assertion: a mismatch is our own
/// bug. Unless said otherwise activations are F32, output rows are overwritten, and inputs and outputs do not overlap.
class Stream {
 public:
  virtual ~Stream() = default;

  /// dst <- host bytes; the bytes are copied now, the caller's memory is free at return. data.size() == dst.bytes().
  virtual void upload(const Tensor& dst, std::span<const std::byte> data) = 0;

  /// out (T_out, D) <- act(conv1d(in (T, C), weight (D, C, 3)) + bias (D)), padding 1 on both sides, T_out = (T - 1) /
  /// stride + 1.
  virtual void convolve(const Tensor& weight, const Tensor& bias, const Tensor& in, int stride, Activation activation,
                        const Tensor& out) = 0;

  /// out (N, D_out) <- act(in (N, D_in) * weight (D_out, D_in)^T + bias (D_out)) + residual (N, D_out).
  /// weight: any type; out: F32 or F16 (rounded to nearest even). bias and residual may be empty; residual may be out
  /// itself.
  virtual void linear(const Tensor& weight, const Tensor& bias, const Tensor& in, Activation activation,
                      const Tensor& residual, const Tensor& out) = 0;

  /// out (N, D) <- (in - mean) / sqrt(variance + 1e-5) * gamma (D) + beta (D), each row alone. out may be in.
  virtual void layer_norm(const Tensor& in, const Tensor& gamma, const Tensor& beta, const Tensor& out) = 0;

  /// x (N, D) <- x + table (N, D), in place.
  virtual void add(const Tensor& x, const Tensor& table) = 0;

  /// out (N, D) <- token_table[tokens[n]] + position_table[positions[n]]. tokens, positions: I32 (N). token_table: any
  /// type.
  virtual void embed(const Tensor& tokens, const Tensor& positions, const Tensor& token_table,
                     const Tensor& position_table, const Tensor& out) = 0;

  /// Scaled dot-product attention, softmax(q k^T / sqrt(D / H) + mask) v for each head, never storing an (N, T) matrix.
  /// q, out: F32 (N, D). k, v: F32 or F16 (T, D). mask: F32 (N, T), 0 or -infinity, or empty; no row is wholly masked.
  virtual void attend(const Tensor& q, const Tensor& k, const Tensor& v, int n_heads, const Tensor& mask,
                      const Tensor& out) = 0;

  /// out (N, T) <- softmax(q k^T / sqrt(D / H)) of one head (0 .. H - 1): what attend() weighs values by. q: F32 (N,
  /// D). k: F32 or F16 (T, D). For the few heads whose attention is itself a result.
  virtual void attend_weights(const Tensor& q, const Tensor& k, int n_heads, int head, const Tensor& out) = 0;

  /// out (R, D) <- in[rows[r]]. rows: I32 (R).
  virtual void gather(const Tensor& in, const Tensor& rows, const Tensor& out) = 0;

  /// Starts what was recorded. May return before it is done.
  virtual void submit() = 0;

  /// Waits until all recorded work is done (submits what is not yet started). Returns and clears the first error of the
  /// stream: cancelled if the abort callback said so.
  virtual Status wait() = 0;

  /// The values of an F32 tensor that earlier work wrote; valid until more work is recorded. An error while work is
  /// pending.
  virtual Result<std::span<const float>> read(const Tensor& tensor) = 0;

  /// Called between operations (CPU) or command buffers (GPU), from the thread that runs them; true stops the work.
  using AbortCallback = bool (*)(void* user_data);
  virtual void set_abort_callback(AbortCallback callback, void* user_data) = 0;

  /// Threads that later operations may use; results do not depend on it. Clamped to 1..64. Ignored by a GPU.
  virtual void set_n_threads(int n_threads) = 0;
};

/// One device as one owner sees it. A context has one for its weights, each state has one of its own, freed with it.
class Backend {
 public:
  virtual ~Backend() = default;

  /// "cpu", "metal" ...
  virtual std::string_view name() const = 0;

  /// What went wrong with the device since, and who did its work; empty as long as nothing did. From any thread.
  virtual std::string remark() const { return {}; }

  /// Unsupported, saying why, if it cannot compute a model whose heads have so many values.
  virtual Status check_model(std::int64_t /*head_width*/) const { return Status::ok(); }

  /// Uninitialised memory; out_of_memory if there is none.
  virtual Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) = 0;

  /// Bytes of a weight in this back-end's own layout. `shape` and `dtype` are those of the file.
  virtual std::size_t weight_bytes(DType dtype, const Shape& shape) const = 0;

  /// Fills the weight `dst` (offset into a buffer of this back-end, weight_bytes() long) from the file's row-major
  /// image. Reads straight into place where the layouts agree; otherwise holds at most this one tensor twice.
  virtual Status load_weight(const Tensor& dst, const WeightSource& source) = 0;

  /// The stream of this back-end; weights of any back-end of the same kind may be used in it.
  virtual Stream& stream() = 0;
};

/// Makes back-ends of one kind; a context keeps it and asks for one per state.
using BackendFactory = std::function<Result<std::unique_ptr<Backend>>()>;

}  // namespace speech
