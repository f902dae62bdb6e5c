// Rules of every stream: errors stick, aborts stop, nothing is read early, threads change nothing, operations do not
// allocate.

#include <cstring>
#include <limits>

#include "backend/allocations.h"
#include "backend/host.h"
#include "kernels/weights.h"

namespace speech {
namespace {

class Streams : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Kinds, Streams, testing::Values("cpu", "deferred"),
                         [](const auto& instance) { return instance.param; });

TEST_P(Streams, ReadIsAnErrorUntilWait) {
  Host host(GetParam());
  const Tensor x = host.f32({4}, {1, 2, 3, 4});
  const auto early = host.stream().read(x);
  ASSERT_FALSE(early.is_ok());
  EXPECT_EQ(early.status().code(), Code::kInternal);
  EXPECT_NE(early.status().message().find("wait()"), std::string::npos);
  host.stream().submit();
  EXPECT_FALSE(host.stream().read(x).is_ok()) << "submit() does not make results readable";
  ASSERT_TRUE(host.stream().wait().is_ok());
  EXPECT_EQ(host.values(x), (std::vector<float>{1, 2, 3, 4}));
  host.stream().add(x, x);
  EXPECT_FALSE(host.stream().read(x).is_ok());
}

TEST_P(Streams, UploadCopiesAtOnce) {
  Host host(GetParam());
  const Tensor x = host.empty(DType::kF32, {3});
  std::vector<float> values = {1, 2, 3};
  host.stream().upload(x, std::as_bytes(std::span(values)));
  values = {7, 8, 9};
  EXPECT_EQ(host.values(x), (std::vector<float>{1, 2, 3}));
}

TEST_P(Streams, OperationsRunInTheOrderOfRecording) {
  Host host(GetParam());
  const Tensor x = host.f32({2}, {1, 10});
  const Tensor y = host.f32({2}, {1, 1});
  host.stream().add(x, y);
  host.stream().add(y, x);
  host.stream().add(x, y);
  EXPECT_EQ(host.values(x), (std::vector<float>{5, 23}));
}

TEST_P(Streams, AnAbortSticksUntilWaitReturnsIt) {
  Host host(GetParam());
  const Tensor x = host.f32({2}, {1, 10});
  ASSERT_TRUE(host.stream().wait().is_ok());
  int calls = 0;
  host.stream().set_abort_callback([](void* user_data) { return ++*static_cast<int*>(user_data) >= 2; }, &calls);
  host.stream().add(x, x);  // runs
  host.stream().add(x, x);  // is stopped
  host.stream().add(x, x);  // is dropped without asking again
  const Status status = host.stream().wait();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(host.stream().wait().is_ok()) << "wait() clears the error";
  host.stream().set_abort_callback(nullptr, nullptr);
  EXPECT_EQ(host.values(x), (std::vector<float>{2, 20}));
}

TEST_P(Streams, ALongOperationIsStoppedBetweenItsTiles) {
  for (const int n_threads : {1, 2}) {
    Host host(GetParam(), n_threads);
    const Tensor w = host.f32({2048, 64}, random_values(2048 * 64, 1));
    const Tensor x = host.f32({1500, 64}, random_values(1500 * 64, 2));
    const Tensor out = host.empty(DType::kF32, {1500, 2048});
    ASSERT_TRUE(host.stream().wait().is_ok());
    int calls = 0;
    host.stream().set_abort_callback([](void* user_data) { return ++*static_cast<int*>(user_data) >= 3; }, &calls);
    host.stream().linear(w, {}, x, Activation::kNone, {}, out);
    EXPECT_EQ(host.stream().wait().code(), Code::kCancelled);
    EXPECT_EQ(calls, 3);
  }
}

TEST_P(Streams, AllocationsOfAbsurdSizesAreErrors) {
  Host host(GetParam());
  for (const std::size_t bytes :
       {std::numeric_limits<std::size_t>::max(), std::numeric_limits<std::size_t>::max() / 2, std::size_t{1} << 50U}) {
    const auto buffer = host.backend().allocate(bytes);
    ASSERT_FALSE(buffer.is_ok()) << bytes;
    EXPECT_EQ(buffer.status().code(), Code::kOutOfMemory);
    EXPECT_NE(buffer.status().message().find(std::to_string(bytes)), std::string::npos);
  }
}

TEST_P(Streams, AFailingWeightSourceIsPassedOn) {
  Host host(GetParam());
  for (const Shape& shape : {Shape{4, 32}, Shape{4, 8, 3}}) {
    const Tensor weight = host.empty(DType::kF16, shape);
    const Status status = host.backend().load_weight(
        weight, [](void*, std::size_t) { return Status(Code::kBadFormat, "cut at byte 7"); });
    EXPECT_EQ(status.code(), Code::kBadFormat);
    EXPECT_EQ(status.message(), "cut at byte 7");
  }
}

TEST_P(Streams, WeightsTakeTheSizeOfTheirFile) {
  Host host(GetParam());
  EXPECT_EQ(host.backend().weight_bytes(DType::kF16, {512, 80, 3}), 512U * 80 * 3 * 2);
  EXPECT_EQ(host.backend().weight_bytes(DType::kQ5_0, {512, 64}), 512U * 2 * 22);
}

// Every operation once, at sizes that go through all paths; the results one after the other.
std::vector<float> all_operations(Host& host) {
  const RandomWeight w = random_weight(DType::kF16, 200 * 64, 1);
  const RandomWeight quantized = random_weight(DType::kQ5_0, 200 * 64, 2);
  const RandomWeight conv = random_weight(DType::kF16, 64 * 64 * 3, 3);
  const Tensor linear_weight = host.weight(DType::kF16, {200, 64}, w.image);
  const Tensor quantized_weight = host.weight(DType::kQ5_0, {200, 64}, quantized.image);
  const Tensor conv_weight = host.weight(DType::kF16, {64, 64, 3}, conv.image);
  const Tensor gamma = host.f32({64}, random_values(64, 4));
  std::vector<float> results;
  for (const std::int64_t n : {1, 5, 8, 9, 300}) {
    const Tensor x = host.f32({n, 64}, random_values(n * 64, 5));
    const Tensor wide = host.empty(DType::kF32, {n, 200});
    const Tensor narrow = host.empty(DType::kF32, {n, 64});
    const Tensor keys = host.f16({170, 64}, random_values(170 * 64, 6));
    std::vector<Tensor> outputs;
    host.stream().linear(linear_weight, {}, x, Activation::kGelu, {}, wide);
    outputs.push_back(wide);
    const Tensor wide2 = host.empty(DType::kF32, {n, 200});
    host.stream().linear(quantized_weight, {}, x, Activation::kNone, wide, wide2);
    outputs.push_back(wide2);
    host.stream().convolve(conv_weight, gamma, x, 1, Activation::kGelu, narrow);
    outputs.push_back(narrow);
    const Tensor attended = host.empty(DType::kF32, {n, 64});
    host.stream().attend(narrow, keys, keys, 4, {}, attended);
    outputs.push_back(attended);
    const Tensor normed = host.empty(DType::kF32, {n, 64});
    host.stream().layer_norm(attended, gamma, gamma, normed);
    outputs.push_back(normed);
    for (const Tensor& output : outputs) {
      const std::vector<float> values = host.values(output);
      results.insert(results.end(), values.begin(), values.end());
    }
  }
  return results;
}

TEST_P(Streams, ResultsAreTheSameBitsForEveryNumberOfThreads) {
  Host one(GetParam(), 1);
  const std::vector<float> expected = all_operations(one);
  EXPECT_EQ(std::memcmp(all_operations(one).data(), expected.data(), expected.size() * sizeof(float)), 0);
  for (const int n_threads : {2, 3, 4, 64}) {
    Host host(GetParam(), n_threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::vector<float> values = all_operations(host);
      ASSERT_EQ(values.size(), expected.size());
      EXPECT_EQ(std::memcmp(values.data(), expected.data(), expected.size() * sizeof(float)), 0) << n_threads;
    }
  }
}

TEST_P(Streams, ARowOfAStepDoesNotDependOnTheOtherRows) {
  Host host(GetParam());
  const RandomWeight w = random_weight(DType::kF16, 200 * 64, 1);
  const Tensor weight = host.weight(DType::kF16, {200, 64}, w.image);
  const Tensor keys = host.f16({300, 64}, random_values(300 * 64, 2));
  const Tensor x = host.f32({8, 64}, random_values(8 * 64, 3));
  const Tensor all = host.empty(DType::kF32, {8, 200});
  const Tensor attended = host.empty(DType::kF32, {8, 64});
  host.stream().linear(weight, {}, x, Activation::kGelu, {}, all);
  host.stream().attend(x, keys, keys, 2, {}, attended);
  const std::vector<float> all_values = host.values(all);
  const std::vector<float> attended_values = host.values(attended);
  for (std::int64_t row = 0; row < 8; ++row) {
    const Tensor one = host.empty(DType::kF32, {1, 200});
    const Tensor attended_one = host.empty(DType::kF32, {1, 64});
    host.stream().linear(weight, {}, x.row_range(row, 1), Activation::kGelu, {}, one);
    host.stream().attend(x.row_range(row, 1), keys, keys, 2, {}, attended_one);
    const std::vector<float> values = host.values(one);
    EXPECT_EQ(std::memcmp(values.data(), all_values.data() + row * 200, 200 * sizeof(float)), 0) << row;
    const std::vector<float> attended_row = host.values(attended_one);
    EXPECT_EQ(std::memcmp(attended_row.data(), attended_values.data() + row * 64, 64 * sizeof(float)), 0) << row;
  }
}

TEST(CpuStream, OperationsDoNotAllocate) {
  for (const int n_threads : {1, 3}) {
    Host host("cpu", n_threads);
    const RandomWeight w = random_weight(DType::kQ4_1, 300 * 64, 1);
    const RandomWeight conv = random_weight(DType::kF16, 64 * 64 * 3, 3);
    const Tensor weight = host.weight(DType::kQ4_1, {300, 64}, w.image);
    const Tensor conv_weight = host.weight(DType::kF16, {64, 64, 3}, conv.image);
    const Tensor gamma = host.f32({64}, random_values(64, 4));
    const Tensor x = host.f32({300, 64}, random_values(300 * 64, 5));
    const Tensor keys = host.f16({170, 64}, random_values(170 * 64, 6));
    const Tensor wide = host.empty(DType::kF32, {300, 300});
    const Tensor narrow = host.empty(DType::kF32, {300, 64});
    const Tensor indices = host.i32(std::vector<std::int32_t>(300, 3));
    const Tensor index = host.i32({3});
    const std::vector<float> data(300 * 64);
    const auto step = [&](std::int64_t n) {
      Stream& s = host.stream();
      s.upload(narrow, std::as_bytes(std::span(data)));
      s.embed(index, index, weight, x, narrow.row_range(0, 1));
      s.linear(weight, {}, x.row_range(0, n), Activation::kGelu, {}, wide.row_range(0, n));
      s.convolve(conv_weight, gamma, x.row_range(0, n), 1, Activation::kNone, narrow.row_range(0, n));
      s.attend(x.row_range(0, n), keys, keys, 1, {}, narrow.row_range(0, n));
      s.layer_norm(narrow, gamma, gamma, narrow);
      s.add(narrow, x);
      s.gather(x, indices, narrow);
      s.submit();
      return s.wait();
    };
    ASSERT_TRUE(step(300).is_ok());  // makes the threads
    const std::size_t before = allocations();
    for (int repeat = 0; repeat < 5; ++repeat) {
      for (const std::int64_t n : {1, 8, 300}) {
        if (!step(n).is_ok()) {
          FAIL();
        }
      }
    }
    EXPECT_EQ(allocations() - before, 0U) << n_threads << " threads";
  }
}

TEST(CpuStream, BuffersAreAlignedToCacheLines) {
  Host host("cpu");
  for (int i = 0; i < 10; ++i) {
    const Tensor x = host.f32({1}, {1.0F});
    ASSERT_TRUE(host.stream().wait().is_ok());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(host.stream().read(x).value().data()) % 64, 0U);
  }
}

TEST(CpuStreamDeathTest, ShapesAndTypesThatDoNotFitAreOurBug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Host host("cpu");
  const Tensor x = host.f32({2, 32}, random_values(64, 1));
  const Tensor w = host.f32({3, 32}, random_values(96, 2));
  EXPECT_DEATH(host.stream().linear(w, {}, x, Activation::kNone, {}, host.empty(DType::kF32, {2, 4})),
               "internal error");
  EXPECT_DEATH(host.stream().linear(host.i32({1, 2, 3}), {}, host.f32({1, 3}, {1, 2, 3}), Activation::kNone, {},
                                    host.empty(DType::kF32, {1, 1})),
               "internal error");
  EXPECT_DEATH(host.stream().add({x.buffer, 4, DType::kF32, {2, 32}}, x), "internal error");
  EXPECT_DEATH(host.stream().gather(x, host.i32({2}), host.empty(DType::kF32, {1, 32})), "internal error");
}

TEST(Registry, KnowsItsBackEndsByName) {
  EXPECT_EQ(backend_factory("cpu").value()().value()->name(), "cpu");
  EXPECT_EQ(backend_factory("deferred").value()().value()->name(), "deferred");
  const auto unknown = backend_factory("abacus");
  ASSERT_FALSE(unknown.is_ok());
  EXPECT_EQ(unknown.status().code(), Code::kNotFound);
  EXPECT_EQ(unknown.status().message(), "no back-end is called 'abacus'; this build has: cpu, deferred");
}

TEST(Registry, AnEmptyNameAsksTheEnvironment) {
  const char* const before = std::getenv("WSPKIT_BACKEND");
  const std::string saved = before != nullptr ? before : "";
  setenv("WSPKIT_BACKEND", "deferred", 1);
  EXPECT_EQ(backend_factory().value()().value()->name(), "deferred");
  setenv("WSPKIT_BACKEND", "abacus", 1);
  EXPECT_NE(backend_factory().status().message().find("WSPKIT_BACKEND"), std::string::npos);
  unsetenv("WSPKIT_BACKEND");
  EXPECT_EQ(backend_factory().value()().value()->name(), "cpu");
  if (before != nullptr) {
    setenv("WSPKIT_BACKEND", saved.c_str(), 1);
  }
}

}  // namespace
}  // namespace speech
