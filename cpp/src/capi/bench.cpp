// How fast the machine copies memory and multiplies matrices, as whisper.h's two benchmarks tell it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/registry.h"
#include "base/thread_pool.h"
#include "base/threads.h"
#include "capi/handles.h"
#include "session/options.h"

namespace {

using speech::Result;
using speech::Status;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string line(const char* format, auto... values) {
  char text[160];
  std::snprintf(text, sizeof(text), format, values...);
  return text;
}

// Each thread copies its part of 64 MiB, ten times; the first time only warms the pages up.
Result<std::string> copy_memory(int n_threads) {
  constexpr std::size_t kBytes = std::size_t{64} << 20U;
  constexpr int kRounds = 10;
  std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  std::string report;
  speech::ThreadPool pool;
  pool.set_n_threads(n_threads);
  for (int n = 1; n <= n_threads; ++n) {
    const std::size_t part = kBytes / static_cast<std::size_t>(n);
    const auto copy = [&](int task, int) {
      const std::size_t begin = static_cast<std::size_t>(task) * part;
      std::memcpy(to.data() + begin, from.data() + begin, part);
    };
    pool.run(n, copy);
    const auto start = Clock::now();
    for (int round = 0; round < kRounds; ++round) {
      from[static_cast<std::size_t>(round)] = static_cast<char>(round);  // or the copies could be left out
      pool.run(n, copy);
    }
    const double bytes = static_cast<double>(part) * n * kRounds;
    report += line("memcpy: %7.2f GB/s (%2d thread%s)\n", bytes / seconds_since(start) / 1e9, n, n == 1 ? "" : "s");
  }
  int sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 4096) {
    sum += to[i];
  }
  return report + line("sum:    %d\n", sum);
}

struct WeightType {
  const char* name;
  speech::DType dtype;
};

constexpr WeightType kTypes[] = {{"Q4_0", speech::DType::kQ4_0}, {"Q4_1", speech::DType::kQ4_1},
                                 {"Q5_0", speech::DType::kQ5_0}, {"Q5_1", speech::DType::kQ5_1},
                                 {"Q8_0", speech::DType::kQ8_0}, {"F16", speech::DType::kF16},
                                 {"F32", speech::DType::kF32}};

// out (N, N) <- in (N, N) * weight (N, N)^T until a quarter of a second has passed, three times at least.
Result<std::string> multiply(speech::Backend& backend, const WeightType& type, std::int64_t n) {
  const speech::Shape shape = {n, n};
  const auto allocate = [&backend](speech::DType dtype, const speech::Shape& of, std::size_t bytes,
                                   std::shared_ptr<speech::Buffer>& owner) -> Result<speech::Tensor> {
    SPEECH_ASSIGN_OR_RETURN(owner, backend.allocate(bytes));
    return speech::Tensor{owner.get(), 0, dtype, of};
  };
  std::shared_ptr<speech::Buffer> owners[3];
  SPEECH_ASSIGN_OR_RETURN(const speech::Tensor weight,
                          allocate(type.dtype, shape, backend.weight_bytes(type.dtype, shape), owners[0]));
  SPEECH_ASSIGN_OR_RETURN(const speech::Tensor in, allocate(speech::DType::kF32, shape,
                                                            speech::row_bytes(speech::DType::kF32, n * n), owners[1]));
  SPEECH_ASSIGN_OR_RETURN(const speech::Tensor out, allocate(speech::DType::kF32, shape,
                                                             speech::row_bytes(speech::DType::kF32, n * n), owners[2]));
  SPEECH_RETURN_IF_ERROR(backend.load_weight(weight, [](void* bytes, std::size_t size) {
    std::memset(bytes, 0, size);
    return Status::ok();
  }));
  speech::Stream& stream = backend.stream();
  const std::vector<float> ones(static_cast<std::size_t>(n * n), 1.0F);
  stream.upload(in, std::as_bytes(std::span(ones)));

  constexpr double kSeconds = 0.25;
  constexpr int kLeast = 3;
  int rounds = 0;
  const auto start = Clock::now();
  while (rounds < kLeast || seconds_since(start) < kSeconds) {
    stream.linear(weight, {}, in, speech::Activation::kNone, {}, out);
    stream.submit();
    SPEECH_RETURN_IF_ERROR(stream.wait());
    ++rounds;
  }
  const double operations = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) * rounds;
  return line("%4lld x %4lld: %s %7.1f GFLOPS (%3d runs)\n", static_cast<long long>(n), static_cast<long long>(n),
              type.name, operations / seconds_since(start) / 1e9, rounds);
}

Result<std::string> multiply_matrices(int n_threads) {
  SPEECH_ASSIGN_OR_RETURN(const speech::BackendFactory factory, speech::backend_factory());
  SPEECH_ASSIGN_OR_RETURN(const std::unique_ptr<speech::Backend> backend, factory());
  backend->stream().set_n_threads(n_threads);
  std::string report;
  for (const std::int64_t n : {64, 128, 256, 512, 1024, 2048}) {
    for (const WeightType& type : kTypes) {
      SPEECH_ASSIGN_OR_RETURN(const std::string row, multiply(*backend, type, n));
      report += row;
    }
  }
  return report;
}

// Of one of the two functions: neither writes over the other's.
template <typename Measure>
struct ReportOf {
  std::string text;
};

// The report, or an empty text after an error.
template <typename Measure>
const std::string& measure(const char* function, int n_threads, Measure&& body) {
  std::string& text = speech::of_this_thread<ReportOf<Measure>>().text;
  text.clear();
  speech::capi::guarded(function, 0, [&] {
    const Status range = n_threads >= 1 && n_threads <= speech::kMaxThreads
                             ? Status::ok()
                             : Status(speech::Code::kInvalidArgument,
                                      "n_threads is " + std::to_string(n_threads) + ", expected 1 to 64");
    Result<std::string> report = range.is_ok() ? body(n_threads) : Result<std::string>(range);
    if (!report) {
      speech::capi::report(function, report.status());
    } else {
      text = std::move(report).value();
    }
    return 0;
  });
  return text;
}

int print_report(const char* function, const std::string& text) {
  return speech::capi::guarded(function, -1, [&] {
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      speech::print("%s", text.substr(begin, end - begin).c_str());
      begin = end + 1;
    }
    return text.empty() ? -1 : 0;
  });
}

}  // namespace

int whisper_bench_memcpy(int n_threads) { return print_report(__func__, measure(__func__, n_threads, copy_memory)); }
const char* whisper_bench_memcpy_str(int n_threads) { return measure(__func__, n_threads, copy_memory).c_str(); }

int whisper_bench_ggml_mul_mat(int n_threads) {
  return print_report(__func__, measure(__func__, n_threads, multiply_matrices));
}
const char* whisper_bench_ggml_mul_mat_str(int n_threads) {
  return measure(__func__, n_threads, multiply_matrices).c_str();
}
