// Prints how near the CPU back-end comes to the machine's limits at the shapes of Whisper base, as one JSON object per
// line: products of every type of weights, convolutions, attention, norms. Sees the abstract back-end only, so that
// what is measured is what a model runs, repacked weights included; WSPKIT_KERNELS chooses the kernel table. One
// thread.
//
// Usage: bench_kernels [seconds for each case]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/registry.h"
#include "backend/system_info.h"
#include "peaks.h"
#include "stopwatch.h"
#include "tensor/dtype.h"

namespace speech::bench {
namespace {

constexpr std::int64_t kFrames = 1500;
constexpr std::int64_t kWidth = 512;
constexpr int kHeads = 8;
constexpr std::int64_t kVocabulary = 51865;
constexpr int kLayers = 6;

template <typename T>
T take(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
    std::exit(1);
  }
  return std::move(result).value();
}

struct Case {
  const char* kernel;
  std::string weights;  // type of what is read besides activations
  std::string shape;
  double flop;
  double bytes;  // weights once, activations in and out
};

class Bench {
 public:
  explicit Bench(double seconds_per_case)
      : seconds_per_case_(seconds_per_case),
        backend_(take(take(backend_factory("cpu"))())),
        stream_(backend_->stream()) {
    stream_.set_n_threads(1);
  }

  Stream& stream() { return stream_; }

  Tensor activations(DType dtype, const Shape& shape) {
    const Tensor tensor = placed(dtype, shape, row_bytes(dtype, shape.elements()));
    upload(tensor);
    return tensor;
  }

  // Not a weight that the back-end may lay out anew: keys and values, biases.
  void upload(const Tensor& tensor) {
    std::vector<std::byte> bytes(tensor.bytes());
    fill(bytes.data(), bytes.size(), tensor.dtype);
    stream_.upload(tensor, bytes);
    finish();
  }

  Tensor weight(DType dtype, const Shape& shape) {
    const Tensor tensor = placed(dtype, shape, backend_->weight_bytes(dtype, shape));
    const Status loaded = backend_->load_weight(tensor, [this, dtype](void* out, std::size_t n) -> Status {
      fill(out, n, dtype);
      return {};
    });
    check(loaded);
    return tensor;
  }

  /// The least time of many runs beside the greatest peaks between them: what each can do when nobody disturbs it.
  void measure(const Case& of, const std::function<void()>& record) {
    double best = 1e9;
    double total = 0;
    double since_peak = 1;
    double gflops = 0;
    double memory = 0;
    double cache = 0;
    for (int run = 0; run < 5 || total < seconds_per_case_; ++run) {
      if (since_peak > 0.03) {
        gflops = std::max(gflops, multiply_add_gflops(table_));
        memory = std::max(memory, memory_.from_memory());
        cache = std::max(cache, memory_.from_cache());
        since_peak = 0;
      }
      const double begin = now_seconds(true);
      record();
      finish();
      const double seconds = std::max(now_seconds(true) - begin, 1e-9);
      if (run > 0) {  // the first touches memory for the first time
        best = std::min(best, seconds);
      }
      total += seconds;
      since_peak += seconds;
    }
    std::printf(
        "{\"table\": \"%s\", \"kernel\": \"%s\", \"weights\": \"%s\", \"shape\": \"%s\", \"seconds\": %.9f, "
        "\"flop\": %.0f, \"bytes\": %.0f, \"peak_gflops\": %.3f, \"memory_gbs\": %.3f, \"cache_gbs\": %.3f}\n",
        table_.c_str(), of.kernel, of.weights.c_str(), of.shape.c_str(), best, of.flop, of.bytes, gflops, memory,
        cache);
    std::fflush(stdout);
  }

  /// Frees all tensors.
  void clear() { buffers_.clear(); }

 private:
  Tensor placed(DType dtype, const Shape& shape, std::size_t bytes) {
    buffers_.push_back(take(backend_->allocate(bytes)));
    return {buffers_.back().get(), 0, dtype, shape};
  }

  // Bytes that are ordinary numbers whatever they stand for. A 16-bit word is +-0.125 to 0.25 in binary16, which scales
  // and minimums of blocks are, wherever they stand; F32 values are of the size of 1.
  void fill(void* out, std::size_t n, DType dtype) {
    auto* bytes = static_cast<unsigned char*>(out);
    for (std::size_t i = 0; i + 4 <= n; i += 4) {
      const float value = normal_(generator_);
      const std::uint32_t words = (static_cast<std::uint32_t>(generator_()) & 0x83FF83FFU) | 0x30003000U;
      std::memcpy(bytes + i, dtype == DType::kF32 ? static_cast<const void*>(&value) : &words, 4);
    }
    for (std::size_t i = n - n % 4; i < n; ++i) {
      bytes[i] = 0x30;
    }
  }

  static void check(const Status& status) {
    if (!status) {
      std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
      std::exit(1);
    }
  }

  void finish() {
    stream_.submit();
    check(stream_.wait());
  }

  double seconds_per_case_;
  std::unique_ptr<Backend> backend_;
  Stream& stream_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
  const std::string table_{kernel_table_name()};
  MemoryReader memory_;
  std::minstd_rand generator_{1};
  std::normal_distribution<float> normal_;
};

/// Every type that weights may have.
std::vector<DType> weight_types() {
  std::vector<DType> types;
  for (std::int32_t id = 0; id < 64; ++id) {
    if (const std::optional<DType> dtype = dtype_from_ggml(id); dtype && *dtype != DType::kI32) {
      types.push_back(*dtype);
    }
  }
  return types;
}

double bytes_of(DType dtype, std::int64_t values) { return static_cast<double>(row_bytes(dtype, values)); }

std::string text(const char* format, auto... values) {
  char line[128];
  std::snprintf(line, sizeof(line), format, static_cast<long long>(values)...);
  return line;
}

/// Rows times several matrices of one shape; several, so that together they are larger than a cache.
void product(Bench& bench, const char* name, DType dtype, std::int64_t n_rows, std::int64_t k, std::int64_t n_out,
             int n_matrices = 1, Activation activation = Activation::kNone) {
  const Tensor in = bench.activations(DType::kF32, {n_rows, k});
  const Tensor out = bench.activations(DType::kF32, {n_rows, n_out});
  const Tensor bias = bench.activations(DType::kF32, {n_out});
  std::vector<Tensor> weights;
  for (int i = 0; i < n_matrices; ++i) {
    weights.push_back(bench.weight(dtype, {n_out, k}));
  }
  const double matrices = n_matrices;
  bench.measure({name, std::string(dtype_name(dtype)),
                 text("%lld times (%lld, %lld) x (%lld, %lld)^T", n_matrices, n_rows, k, n_out, k),
                 2.0 * static_cast<double>(n_rows * k * n_out) * matrices,
                 (bytes_of(dtype, k * n_out) + bytes_of(DType::kF32, n_rows * (k + n_out))) * matrices},
                [&] {
                  for (const Tensor& weight : weights) {
                    bench.stream().linear(weight, bias, in, activation, {}, out);
                  }
                });
  bench.clear();
}

void convolution(Bench& bench, const char* name, std::int64_t channels, int stride) {
  const std::int64_t n_in = 2 * kFrames;
  const std::int64_t n_out = n_in / stride;
  const Tensor in = bench.activations(DType::kF32, {n_in, channels});
  const Tensor out = bench.activations(DType::kF32, {n_out, kWidth});
  const Tensor bias = bench.activations(DType::kF32, {kWidth});
  const Tensor weight = bench.weight(DType::kF16, {kWidth, channels, 3});
  bench.measure(
      {name, "f16", text("(%lld, %lld) to (%lld, %lld)", n_in, channels, n_out, kWidth),
       2.0 * 3 * static_cast<double>(n_out * channels * kWidth),
       bytes_of(DType::kF16, 3 * channels * kWidth) + bytes_of(DType::kF32, n_in * channels + n_out * kWidth)},
      [&] { bench.stream().convolve(weight, bias, in, stride, Activation::kGelu, out); });
  bench.clear();
}

/// n_rows queries on the keys and values of n_layers layers.
void attention(Bench& bench, const char* name, DType dtype, std::int64_t n_rows, int n_layers) {
  const Tensor q = bench.activations(DType::kF32, {n_rows, kWidth});
  const Tensor out = bench.activations(DType::kF32, {n_rows, kWidth});
  std::vector<Tensor> keys_values;
  for (int i = 0; i < 2 * n_layers; ++i) {
    keys_values.push_back(bench.activations(dtype, {kFrames, kWidth}));
  }
  const double layers = n_layers;
  bench.measure({name, std::string(dtype_name(dtype)),
                 text("%lld rows on %lld keys, %lld heads, %lld layers", n_rows, kFrames, kHeads, n_layers),
                 4.0 * static_cast<double>(n_rows * kFrames * kWidth) * layers,
                 (bytes_of(dtype, 2 * kFrames * kWidth) + bytes_of(DType::kF32, 2 * n_rows * kWidth)) * layers},
                [&] {
                  for (std::size_t layer = 0; layer < keys_values.size(); layer += 2) {
                    bench.stream().attend(q, keys_values[layer], keys_values[layer + 1], kHeads, {}, out);
                  }
                });
  bench.clear();
}

void layer_norm(Bench& bench) {
  const Tensor in = bench.activations(DType::kF32, {kFrames, kWidth});
  const Tensor out = bench.activations(DType::kF32, {kFrames, kWidth});
  const Tensor gamma = bench.activations(DType::kF32, {kWidth});
  const Tensor beta = bench.activations(DType::kF32, {kWidth});
  // Mean, variance, and the normed value: two, three and four operations on each.
  bench.measure({"layer norm", "f32", text("(%lld, %lld)", kFrames, kWidth), 9.0 * kFrames * kWidth,
                 2 * bytes_of(DType::kF32, kFrames * kWidth)},
                [&] { bench.stream().layer_norm(in, gamma, beta, out); });
  bench.clear();
}

void run(double seconds_per_case) {
  Bench bench(seconds_per_case);
  const std::vector<DType> types = weight_types();
  for (const DType dtype : types) {
    product(bench, "encoder projection", dtype, kFrames, kWidth, kWidth);
  }
  for (const DType dtype : types) {
    product(bench, "encoder MLP in, GELU", dtype, kFrames, kWidth, 4 * kWidth, 1, Activation::kGelu);
    product(bench, "encoder MLP out", dtype, kFrames, 4 * kWidth, kWidth);
  }
  convolution(bench, "first convolution", 80, 1);
  convolution(bench, "second convolution", kWidth, 2);
  attention(bench, "encoder attention", DType::kF32, kFrames, 1);
  attention(bench, "encoder attention", DType::kF16, kFrames, 1);
  layer_norm(bench);
  for (const std::int64_t n_rows : {1, 5}) {
    const char* const logits = n_rows == 1 ? "logits, 1 row" : "logits, 5 rows";
    const char* const layers = n_rows == 1 ? "decoder layers, 1 row" : "decoder layers, 5 rows";
    for (const DType dtype : types) {
      product(bench, logits, dtype, n_rows, kWidth, kVocabulary);
      product(bench, layers, dtype, n_rows, kWidth, 4 * kWidth, 24);
    }
    attention(bench, n_rows == 1 ? "cross-attention, 1 row" : "cross-attention, 5 rows", DType::kF16, n_rows, kLayers);
  }
  product(bench, "prompt of 200 tokens", DType::kF16, 200, kWidth, 4 * kWidth);
}

}  // namespace
}  // namespace speech::bench

int main(int argc, char** argv) {
  speech::bench::run(argc > 1 ? std::atof(argv[1]) : 0.3);
  return 0;
}
