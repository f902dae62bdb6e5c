// The operations of the CPU back-end: checks shapes, finds addresses, splits the work into tiles. No arithmetic of its
// own.
#pragma once

#include "backend/backend.h"
#include "backend/cpu/task_runner.h"
#include "kernels/kernel_table.h"

namespace speech {

class CpuStream final : public Stream {
 public:
  explicit CpuStream(const KernelTable& kernels);

  void upload(const Tensor& dst, std::span<const std::byte> data) override;
  void convolve(const Tensor& weight, const Tensor& bias, const Tensor& in, int stride, Activation activation,
                const Tensor& out) override;
  void linear(const Tensor& weight, const Tensor& bias, const Tensor& in, Activation activation, const Tensor& residual,
              const Tensor& out) override;
  void layer_norm(const Tensor& in, const Tensor& gamma, const Tensor& beta, const Tensor& out) override;
  void add(const Tensor& x, const Tensor& table) override;
  void embed(const Tensor& tokens, const Tensor& positions, const Tensor& token_table, const Tensor& position_table,
             const Tensor& out) override;
  void attend(const Tensor& q, const Tensor& k, const Tensor& v, int n_heads, const Tensor& mask,
              const Tensor& out) override;
  void attend_weights(const Tensor& q, const Tensor& k, int n_heads, int head, const Tensor& out) override;
  void gather(const Tensor& in, const Tensor& rows, const Tensor& out) override;
  void submit() override {}
  Status wait() override;
  Result<std::span<const float>> read(const Tensor& tensor) override;
  void set_abort_callback(AbortCallback callback, void* user_data) override;
  void set_n_threads(int n_threads) override;

 private:
  /// False if the operation must be dropped: an error sticks, or the abort callback says stop now.
  bool begin();
  /// Takes what a tiled operation returned: false is an abort in its middle.
  void end(bool finished);

  const KernelTable& kernels_;
  TaskRunner runner_;
  Status status_;
  bool pending_ = false;
};

}  // namespace speech
