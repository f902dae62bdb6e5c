// The operations of the Metal back-end: checks shapes, records kernels, cuts command buffers, and has the CPU do what
// the GPU has lost. No arithmetic of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/cpu_stream.h"
#include "backend/metal/device.h"
#include "backend/metal/gpu_health.h"

namespace speech {

/// A decode step is one command buffer; an encoder is cut where its work is much for one, so that the system's watchdog
/// and the abort callback have their turn.
///
/// Between two wait() operations write their outputs before they read them, but for inputs that nobody writes: so what
/// the GPU did not finish is done again by the CPU from the first operation on, in the same memory.
class MetalStream final : public Stream {
 public:
  MetalStream(std::shared_ptr<GpuDevice> device, std::shared_ptr<GpuHealth> health, std::uint64_t most_work,
              const KernelTable& kernels);
  MetalStream(const MetalStream&) = delete;
  MetalStream& operator=(const MetalStream&) = delete;
  ~MetalStream() override;

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
  void submit() override;
  Status wait() override;
  Result<std::span<const float>> read(const Tensor& tensor) override;
  void set_abort_callback(AbortCallback callback, void* user_data) override;
  void set_n_threads(int n_threads) override { cpu_.set_n_threads(n_threads); }

 private:
  using Operation = std::function<void(Stream&)>;

  /// Whether the operation is to be recorded for the GPU; otherwise it is done or dropped.
  bool begin(Operation operation);
  template <typename Params>
  void dispatch(const std::string& kernel, const KernelGrid& grid, std::initializer_list<Tensor> tensors,
                const Params& params, std::uint64_t work);
  /// Counts multiply-adds, and commits what has become much.
  void worked(std::uint64_t work);
  void commit();
  /// Waits for the oldest command buffer.
  Status finish_one();
  void wait_for_all();
  void fall_back(const Status& why);
  Result<GpuBinding> staged(std::span<const std::byte> data);

  std::shared_ptr<GpuDevice> device_;
  std::shared_ptr<GpuHealth> health_;
  CpuStream cpu_;
  std::unique_ptr<GpuCommands> commands_;  // that are being recorded
  std::deque<std::unique_ptr<GpuCommands>> committed_;
  std::vector<Operation> operations_;  // since the last wait()
  std::vector<std::shared_ptr<HostBuffer>> staging_;
  std::size_t staged_bytes_ = 0;  // in the last of them
  std::uint64_t most_work_;
  std::uint64_t work_ = 0;
  int waits_on_cpu_ = 0;  // that are still to come before the GPU is tried again
  bool pending_ = false;
  Status status_;
  AbortCallback abort_ = nullptr;
  void* abort_data_ = nullptr;
};

}  // namespace speech
