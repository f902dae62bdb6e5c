// Prints where the time of a model goes: of encoding one window and of decoding steps of 1, 2, 5 and 8 sequences, by
// operation and shape. Sees the engine and the abstract stream, which it wraps; no kernel, no session.
//
// Usage: bench_model MODEL.bin [n_threads] [rounds]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/registry.h"
#include "model/byte_source.h"
#include "model/reader.h"
#include "stopwatch.h"
#include "whisper/engine.h"

namespace speech {
namespace {

// True: processor time, as of one thread; false: time that passed.
bool on_one_thread = true;
double now_seconds() { return bench::now_seconds(on_one_thread); }

// Processor time is counted in steps of a microsecond; operations of a decoding step are long enough for that.
class TimedStream final : public Stream {
 public:
  explicit TimedStream(Stream& inner) : inner_(inner) {}

  void upload(const Tensor& dst, std::span<const std::byte> data) override {
    timed("upload", [&] { inner_.upload(dst, data); });
  }
  void convolve(const Tensor& weight, const Tensor& bias, const Tensor& in, int stride, Activation activation,
                const Tensor& out) override {
    timed("convolve " + weight.shape.text(), [&] { inner_.convolve(weight, bias, in, stride, activation, out); });
  }
  void linear(const Tensor& weight, const Tensor& bias, const Tensor& in, Activation activation, const Tensor& residual,
              const Tensor& out) override {
    timed("linear " + weight.shape.text(), [&] { inner_.linear(weight, bias, in, activation, residual, out); });
  }
  void layer_norm(const Tensor& in, const Tensor& gamma, const Tensor& beta, const Tensor& out) override {
    timed("layer_norm", [&] { inner_.layer_norm(in, gamma, beta, out); });
  }
  void add(const Tensor& x, const Tensor& table) override {
    timed("add", [&] { inner_.add(x, table); });
  }
  void embed(const Tensor& tokens, const Tensor& positions, const Tensor& token_table, const Tensor& position_table,
             const Tensor& out) override {
    timed("embed", [&] { inner_.embed(tokens, positions, token_table, position_table, out); });
  }
  void attend(const Tensor& q, const Tensor& k, const Tensor& v, int n_heads, const Tensor& mask,
              const Tensor& out) override {
    timed(mask ? "attend, masked" : "attend", [&] { inner_.attend(q, k, v, n_heads, mask, out); });
  }
  void attend_weights(const Tensor& q, const Tensor& k, int n_heads, int head, const Tensor& out) override {
    timed("attend_weights", [&] { inner_.attend_weights(q, k, n_heads, head, out); });
  }
  void gather(const Tensor& in, const Tensor& rows, const Tensor& out) override {
    timed("gather", [&] { inner_.gather(in, rows, out); });
  }
  void submit() override { inner_.submit(); }
  Status wait() override { return inner_.wait(); }
  Result<std::span<const float>> read(const Tensor& tensor) override { return inner_.read(tensor); }
  void set_abort_callback(AbortCallback callback, void* user_data) override {
    inner_.set_abort_callback(callback, user_data);
  }
  void set_n_threads(int n_threads) override { inner_.set_n_threads(n_threads); }

  std::map<std::string, double> take_seconds() { return std::exchange(seconds_, {}); }

 private:
  template <typename Fn>
  void timed(const std::string& name, Fn&& fn) {
    const double begin = now_seconds();
    fn();
    seconds_[name] += now_seconds() - begin;
  }

  Stream& inner_;
  std::map<std::string, double> seconds_;
};

class TimedBackend final : public Backend {
 public:
  explicit TimedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)), stream_(inner_->stream()) {}

  std::string_view name() const override { return inner_->name(); }
  Result<std::shared_ptr<Buffer>> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  std::size_t weight_bytes(DType dtype, const Shape& shape) const override {
    return inner_->weight_bytes(dtype, shape);
  }
  Status load_weight(const Tensor& dst, const WeightSource& source) override {
    return inner_->load_weight(dst, source);
  }
  Stream& stream() override { return stream_; }
  TimedStream& timed() { return stream_; }

 private:
  std::unique_ptr<Backend> inner_;
  TimedStream stream_;
};

template <typename T>
T take(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    std::exit(1);
  }
  return std::move(result).value();
}

struct Times {
  std::vector<double> whole;
  std::map<std::string, std::vector<double>> by_operation;

  void add(double seconds, const std::map<std::string, double>& parts) {
    whole.push_back(seconds);
    for (const auto& [name, part] : parts) {
      by_operation[name].push_back(part);
    }
  }
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print(const char* what, const Times& times) {
  std::printf("%-28s %9.3f ms (least %.3f)\n", what, median(times.whole) * 1e3,
              *std::min_element(times.whole.begin(), times.whole.end()) * 1e3);
  for (const auto& [name, values] : times.by_operation) {
    if (median(values) * 1e3 > 0.002) {
      std::printf("    %-24s %9.3f ms\n", name.c_str(), median(values) * 1e3);
    }
  }
}

int run(const char* path, int n_threads, int rounds) {
  ModelReader reader = take(ModelReader::open(take(open_file_source(path))));
  const BackendFactory factory = take(backend_factory("cpu"));
  const double load_begin = now_seconds();
  auto backend = std::make_unique<TimedBackend>(take(factory()));
  TimedStream& stream = backend->timed();
  const std::shared_ptr<const Weights> weights = take(load_weights(reader, *backend));
  std::printf("%-28s %9.3f ms\n", "load", (now_seconds() - load_begin) * 1e3);
  const Hyperparameters& sizes = weights->hyperparameters;
  const std::unique_ptr<Engine> engine = take(Engine::create(weights, std::move(backend), kMaxSequences));
  stream.set_n_threads(n_threads);

  std::vector<float> mel(static_cast<std::size_t>(2 * sizes.n_audio_ctx * sizes.n_mels));
  for (std::size_t i = 0; i < mel.size(); ++i) {
    mel[i] = static_cast<float>(i * 2654435761U % 1000U) * 1e-3F - 0.5F;
  }
  Times encoding;
  for (int round = 0; round < rounds; ++round) {
    stream.take_seconds();
    const double begin = now_seconds();
    if (Status status = engine->encode(mel); !status) {
      return 1;
    }
    encoding.add(now_seconds() - begin, stream.take_seconds());
  }
  print("encode", encoding);

  for (const int n_sequences : {1, 2, 5, 8}) {
    Times decoding;
    for (int round = 0; round < rounds * 3; ++round) {
      std::vector<StepToken> step;
      for (int sequence = 0; sequence < n_sequences; ++sequence) {
        step.push_back({.token = 100 + sequence, .position = round, .sequence = sequence, .wants_logits = true});
      }
      stream.take_seconds();
      const double begin = now_seconds();
      if (!engine->decode(step)) {
        return 1;
      }
      decoding.add(now_seconds() - begin, stream.take_seconds());
    }
    print(("step of " + std::to_string(n_sequences)).c_str(), decoding);
    engine->cache().clear();
  }
  return 0;
}

}  // namespace
}  // namespace speech

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_model MODEL.bin [n_threads] [rounds]\n");
    return 2;
  }
  const int n_threads = argc > 2 ? std::atoi(argv[2]) : 1;
  speech::on_one_thread = n_threads <= 1;
  return speech::run(argv[1], n_threads, argc > 3 ? std::atoi(argv[3]) : 5);
}
