// A back-end for tests that does nothing until wait(); see deferred_backend.h. Knows no device: the inner back-end has
// it.

#include "backend/deferred/deferred_backend.h"

#include <functional>
#include <utility>
#include <vector>

namespace speech {
namespace {

class DeferredStream final : public Stream {
 public:
  explicit DeferredStream(Stream& inner) : inner_(inner) {}

  void upload(const Tensor& dst, std::span<const std::byte> data) override {
    record([dst, copy = std::vector<std::byte>(data.begin(), data.end())](Stream& s) { s.upload(dst, copy); });
  }
  void convolve(const Tensor& weight, const Tensor& bias, const Tensor& in, int stride, Activation activation,
                const Tensor& out) override {
    record([=](Stream& s) { s.convolve(weight, bias, in, stride, activation, out); });
  }
  void linear(const Tensor& weight, const Tensor& bias, const Tensor& in, Activation activation, const Tensor& residual,
              const Tensor& out) override {
    record([=](Stream& s) { s.linear(weight, bias, in, activation, residual, out); });
  }
  void layer_norm(const Tensor& in, const Tensor& gamma, const Tensor& beta, const Tensor& out) override {
    record([=](Stream& s) { s.layer_norm(in, gamma, beta, out); });
  }
  void add(const Tensor& x, const Tensor& table) override {
    record([=](Stream& s) { s.add(x, table); });
  }
  void embed(const Tensor& tokens, const Tensor& positions, const Tensor& token_table, const Tensor& position_table,
             const Tensor& out) override {
    record([=](Stream& s) { s.embed(tokens, positions, token_table, position_table, out); });
  }
  void attend(const Tensor& q, const Tensor& k, const Tensor& v, int n_heads, const Tensor& mask,
              const Tensor& out) override {
    record([=](Stream& s) { s.attend(q, k, v, n_heads, mask, out); });
  }
  void attend_weights(const Tensor& q, const Tensor& k, int n_heads, int head, const Tensor& out) override {
    record([=](Stream& s) { s.attend_weights(q, k, n_heads, head, out); });
  }
  void gather(const Tensor& in, const Tensor& rows, const Tensor& out) override {
    record([=](Stream& s) { s.gather(in, rows, out); });
  }

  void submit() override {}

  Status wait() override {
    for (const auto& operation : std::exchange(operations_, {})) {
      operation(inner_);
    }
    inner_.submit();
    return inner_.wait();
  }

  Result<std::span<const float>> read(const Tensor& tensor) override {
    if (!operations_.empty()) {
      return Status(Code::kInternal, "a tensor was read while " + std::to_string(operations_.size()) +
                                         " recorded operations were pending; call wait() first");
    }
    return inner_.read(tensor);
  }

  void set_abort_callback(AbortCallback callback, void* user_data) override {
    inner_.set_abort_callback(callback, user_data);
  }
  void set_n_threads(int n_threads) override { inner_.set_n_threads(n_threads); }

 private:
  void record(std::function<void(Stream&)> operation) { operations_.push_back(std::move(operation)); }

  Stream& inner_;
  std::vector<std::function<void(Stream&)>> operations_;
};

class DeferredBackend final : public Backend {
 public:
  explicit DeferredBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)), stream_(inner_->stream()) {}

  std::string_view name() const override { return "deferred"; }
  Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  std::size_t weight_bytes(DType dtype, const Shape& shape) const override {
    return inner_->weight_bytes(dtype, shape);
  }
  Status load_weight(const Tensor& dst, const WeightSource& source) override {
    return inner_->load_weight(dst, source);
  }
  Stream& stream() override { return stream_; }

 private:
  std::unique_ptr<Backend> inner_;
  DeferredStream stream_;
};

}  // namespace

bool deferred_backend_is_built() { return true; }

Result<BackendFactory> deferred_backend_factory(BackendFactory inner) {
  return BackendFactory([inner = std::move(inner)]() -> Result<std::unique_ptr<Backend>> {
    SPEECH_ASSIGN_OR_RETURN(std::unique_ptr<Backend> backend, inner());
    return std::unique_ptr<Backend>(std::make_unique<DeferredBackend>(std::move(backend)));
  });
}

}  // namespace speech
