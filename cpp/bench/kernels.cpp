// Prints how fast the CPU back-end multiplies and attends at the shapes of Whisper base: GFLOP/s of the encoder, GB/s
// of a decoding step, for each kernel table of this machine. Sees the kernels and the drivers of backend/cpu, no model.
//
// Usage: bench_kernels [n_threads]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

#include "backend/cpu/attend.h"
#include "backend/cpu/linear.h"
#include "backend/cpu/task_runner.h"
#include "base/half.h"
#include "kernels/select.h"
#include "tensor/dtype.h"

namespace speech {
namespace {

// Seconds of work: processor time on one thread, which other programs disturb least, else time that passed.
bool on_one_thread = true;
double now_seconds() {
  if (on_one_thread) {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The best of several runs: what the machine can do when nobody else uses it.
double best_seconds(const std::function<void()>& work) {
  double best = 1e9;
  double total = 0;
  for (int run = 0; run < 5 || (total < 0.3 && run < 200); ++run) {
    const double begin = now_seconds();
    work();
    const double seconds = std::max(now_seconds() - begin, 1e-9);
    best = std::min(best, seconds);
    total += seconds;
  }
  return best;
}

std::vector<float> random_floats(std::size_t n) {
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) {
    value = normal(generator);
  }
  return values;
}

std::vector<std::uint16_t> random_halves(std::size_t n) {
  std::vector<std::uint16_t> halves(n);
  std::mt19937 generator(1);
  for (std::uint16_t& half : halves) {
    half = static_cast<std::uint16_t>((generator() & 0x83FFU) | 0x3000U);  // +-0.125 .. 0.25
  }
  return halves;
}

constexpr DType kTypes[kWeightFormats] = {DType::kF32,  DType::kF16,  DType::kQ4_0, DType::kQ4_1,
                                          DType::kQ5_0, DType::kQ5_1, DType::kQ8_0};

void encoder_products(const KernelTable& kernels, TaskRunner& runner) {
  struct Case {
    const char* name;
    WeightFormat format;
    std::size_t n_rows, k, n_out;
    bool gelu;
  };
  for (const Case& c :
       {Case{"attention projection", kFormatF16, 1500, 512, 512, false},
        Case{"attention projection", kFormatF32, 1500, 512, 512, false},
        Case{"attention projection", kFormatQ5_0, 1500, 512, 512, false},
        Case{"MLP in, GELU", kFormatF16, 1500, 512, 2048, true}, Case{"MLP out", kFormatF16, 1500, 2048, 512, false},
        Case{"prompt of 200 tokens", kFormatF16, 200, 512, 512, false},
        Case{"prompt of 20 tokens", kFormatF16, 20, 512, 512, false}}) {
    const std::vector<float> in = random_floats(c.n_rows * c.k);
    const std::vector<float> bias = random_floats(c.n_out);
    std::vector<std::uint16_t> weight = random_halves(c.n_out * c.k * 2);  // enough for F32, and valid as any type
    std::vector<float> out(c.n_rows * c.n_out);
    const Product product{.weight = weight.data(),
                          .format = c.format,
                          .weight_stride_bytes = row_bytes(kTypes[c.format], static_cast<std::int64_t>(c.k)),
                          .n_out = c.n_out,
                          .k = c.k,
                          .in = in.data(),
                          .n_rows = c.n_rows,
                          .in_step = static_cast<std::ptrdiff_t>(c.k),
                          .in_size = static_cast<std::ptrdiff_t>(in.size()),
                          .bias = bias.data(),
                          .gelu = c.gelu,
                          .out = out.data()};
    const double seconds = best_seconds([&] { multiply(kernels, runner, product); });
    const double gflop = 2e-9 * static_cast<double>(c.n_rows * c.k * c.n_out);
    std::printf("%-7s %-22s %-5s (%zu, %zu) x (%zu, %zu)^T %8.2f ms %7.1f GFLOP/s\n", kernels.name, c.name,
                dtype_name(kTypes[c.format]).data(), c.n_rows, c.k, c.n_out, c.k, seconds * 1e3, gflop / seconds);
  }
}

void encoder_attention(const KernelTable& kernels, TaskRunner& runner) {
  for (const WeightFormat format : {kFormatF32, kFormatF16}) {
    const std::size_t t = 1500;
    const std::size_t d = 512;
    const std::vector<float> q = random_floats(t * d);
    const std::vector<std::uint16_t> k = random_halves(t * d * 2);
    std::vector<float> out(t * d);
    const Attention attention{.q = q.data(),
                              .n_rows = t,
                              .k = k.data(),
                              .v = k.data(),
                              .k_format = format,
                              .v_format = format,
                              .n_keys = t,
                              .width = d,
                              .n_heads = 8,
                              .out = out.data()};
    const double seconds = best_seconds([&] { attend(kernels, runner, attention); });
    std::printf("%-7s %-22s %-5s 8 heads of 64, T 1500 %19.2f ms %7.1f GFLOP/s\n", kernels.name, "encoder attention",
                dtype_name(kTypes[format]).data(), seconds * 1e3, 4e-9 * t * t * d / seconds);
  }
}

void decoding_step(const KernelTable& kernels, TaskRunner& runner) {
  // The vocabulary matrix of base (53 MB in F16): larger than most last-level caches, so this reads memory.
  const std::size_t n_out = 51865;
  const std::size_t k = 512;
  for (int format = 0; format < kWeightFormats; ++format) {
    const std::size_t stride = row_bytes(kTypes[format], static_cast<std::int64_t>(k));
    const std::vector<std::uint16_t> weight = random_halves(n_out * stride / 2);
    for (const std::size_t n_rows : {1, 2, 5, 8}) {
      const std::vector<float> in = random_floats(n_rows * k);
      std::vector<float> out(n_rows * n_out);
      const Product product{.weight = weight.data(),
                            .format = static_cast<WeightFormat>(format),
                            .weight_stride_bytes = stride,
                            .n_out = n_out,
                            .k = k,
                            .in = in.data(),
                            .n_rows = n_rows,
                            .in_step = static_cast<std::ptrdiff_t>(k),
                            .in_size = static_cast<std::ptrdiff_t>(in.size()),
                            .out = out.data()};
      const double seconds = best_seconds([&] { multiply(kernels, runner, product); });
      std::printf("%-7s logits, %zu row%s         %-5s (%zu, 512) x (51865, 512)^T %7.2f ms %7.1f GB/s %7.1f GFLOP/s\n",
                  kernels.name, n_rows, n_rows == 1 ? " " : "s", dtype_name(kTypes[format]).data(), n_rows,
                  seconds * 1e3, 1e-9 * static_cast<double>(n_out * stride) / seconds,
                  2e-9 * static_cast<double>(n_rows * n_out * k) / seconds);
    }
  }
  const std::size_t t = 1500;
  const std::vector<std::uint16_t> cross = random_halves(12 * t * k);
  for (const std::size_t n_rows : {1, 5}) {
    const std::vector<float> q = random_floats(n_rows * k);
    std::vector<float> out(n_rows * k);
    const double seconds = best_seconds([&] {
      for (std::size_t layer = 0; layer < 6; ++layer) {
        attend(kernels, runner,
               {.q = q.data(),
                .n_rows = n_rows,
                .k = cross.data() + 2 * layer * t * k,
                .v = cross.data() + (2 * layer + 1) * t * k,
                .k_format = kFormatF16,
                .v_format = kFormatF16,
                .n_keys = t,
                .width = k,
                .n_heads = 8,
                .out = out.data()});
      }
    });
    std::printf("%-7s cross-attention, %zu row%s f16   6 layers, T 1500 %24.2f ms %7.1f GB/s\n", kernels.name, n_rows,
                n_rows == 1 ? " " : "s", seconds * 1e3, 1e-9 * static_cast<double>(cross.size() * 2) / seconds);
  }
}

// What a plain sum of 8-byte words reads: the yardstick of the decoding step.
void memory_speed() {
  const std::vector<std::uint64_t> words(std::size_t{24} << 20U, 1);
  std::uint64_t total = 0;
  const double seconds = best_seconds([&] {
    std::uint64_t sums[8] = {};
    for (std::size_t i = 0; i < words.size(); i += 8) {
      for (std::size_t j = 0; j < 8; ++j) {
        sums[j] += words[i + j];
      }
    }
    for (const std::uint64_t sum : sums) {
      total += sum;
    }
  });
  std::printf("reading memory, one thread: %.1f GB/s (%llu)\n", 1e-9 * static_cast<double>(words.size() * 8) / seconds,
              static_cast<unsigned long long>(total));
}

}  // namespace
}  // namespace speech

int main(int argc, char** argv) {
  const int n_threads = argc > 1 ? std::atoi(argv[1]) : 1;
  speech::TaskRunner runner(std::max(speech::multiply_scratch_floats(), speech::attend_scratch_floats()));
  runner.set_n_threads(n_threads);
  speech::on_one_thread = n_threads <= 1;
  speech::memory_speed();
  for (const speech::KernelTable* table : speech::available_kernels()) {
    speech::encoder_products(*table, runner);
    speech::encoder_attention(*table, runner);
    speech::decoding_step(*table, runner);
  }
  return 0;
}
