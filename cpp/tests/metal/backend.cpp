// The Metal back-end on a GPU that is this machine: rules of streams, cut command buffers, and what happens when the
// GPU is lost. Its operations are held to naive ones by backend/operations.cpp, which is part of this program.
#include <cstring>

#include "backend/metal/metal_backend.h"
#include "metal/host_gpu.h"
#include "metal/kernels.h"

namespace speech {
namespace {

class MetalBackendTest : public testing::Test {
 protected:
  void TearDown() override { host_gpu() = HostGpu(); }

  static std::unique_ptr<Backend> make(std::uint64_t most_work = kMostWork) {
    const std::shared_ptr<GpuDevice> gpu(std::shared_ptr<void>(), &host_gpu());
    return std::move(metal_backend_factory(gpu, most_work)()).value();
  }

  Tensor tensor(Backend& backend, const Shape& shape) {
    buffers_.push_back(backend.allocate(static_cast<std::size_t>(shape.elements()) * sizeof(float)).value());
    return {buffers_.back().get(), 0, DType::kF32, shape};
  }

  Tensor tensor(Backend& backend, const Shape& shape, const Floats& values) {
    const Tensor made = tensor(backend, shape);
    backend.stream().upload(made, std::as_bytes(std::span(values)));
    return made;
  }

  static Floats values(Backend& backend, const Tensor& tensor) {
    const auto read = backend.stream().read(tensor);
    EXPECT_TRUE(read.is_ok()) << read.status().message();
    return read.is_ok() ? Floats(read.value().begin(), read.value().end()) : Floats();
  }

  // A chain whose temporaries are written before they are read, as those of a phase are.
  Tensor chain(Backend& backend, const Floats& in, int n_steps = 3) {
    const Tensor weight = tensor(backend, {64, 64}, random_values(64 * 64, 1, 0.1F));
    const Tensor gamma = tensor(backend, {64}, random_values(64, 2));
    const Tensor x = tensor(backend, {3, 64}, in);
    const Tensor y = tensor(backend, {3, 64});
    for (int i = 0; i < n_steps; ++i) {
      backend.stream().layer_norm(x, gamma, gamma, y);
      backend.stream().linear(weight, gamma, y, Activation::kGelu, x, x);
    }
    return x;
  }

  void expect_near(const Floats& got, const Floats& expected) {
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], expected[i], 1e-4) << "at " << i;  // three steps of sums of 64, each within 1e-5
    }
  }

  Floats by_cpu(const Floats& in) {
    const std::unique_ptr<Backend> cpu = std::move(backend_factory("cpu").value()()).value();
    const Tensor x = chain(*cpu, in);
    EXPECT_TRUE(cpu->stream().wait().is_ok());
    return values(*cpu, x);
  }

  std::vector<std::shared_ptr<Buffer>> buffers_;
  Floats in_ = random_values(3 * 64, 5);
};

TEST_F(MetalBackendTest, NothingIsReadBeforeItWasWaitedFor) {
  const std::unique_ptr<Backend> backend = make();
  Floats data = {1, 2, 3};
  const Tensor x = tensor(*backend, {3}, data);
  data = {7, 8, 9};
  backend->stream().submit();
  EXPECT_EQ(backend->stream().read(x).status().code(), Code::kInternal);
  ASSERT_TRUE(backend->stream().wait().is_ok());
  EXPECT_EQ(values(*backend, x), (Floats{1, 2, 3}));
}

TEST_F(MetalBackendTest, AStepIsOneCommandBufferAndLongWorkIsCut) {
  const std::unique_ptr<Backend> backend = make();
  const Tensor x = chain(*backend, in_);
  ASSERT_TRUE(backend->stream().wait().is_ok());
  EXPECT_EQ(host_gpu().n_committed, 1);
  const Floats whole = values(*backend, x);
  expect_near(whole, by_cpu(in_));
  // Each product is enough for a command buffer.
  const std::unique_ptr<Backend> cut = make(3 * 64 * 64);
  const Tensor y = chain(*cut, in_);
  ASSERT_TRUE(cut->stream().wait().is_ok());
  EXPECT_EQ(host_gpu().n_committed, 1 + 3);
  EXPECT_EQ(values(*cut, y), whole);
}

TEST_F(MetalBackendTest, AnAbortIsAskedForBetweenCommandBuffers) {
  const std::unique_ptr<Backend> backend = make(3 * 64 * 64);
  int calls = 0;
  backend->stream().set_abort_callback([](void* data) { return ++*static_cast<int*>(data) >= 2; }, &calls);
  (void)chain(*backend, in_);
  EXPECT_EQ(backend->stream().wait().code(), Code::kCancelled);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(host_gpu().n_committed, 1);
  backend->stream().set_abort_callback(nullptr, nullptr);
  const Tensor x = chain(*backend, in_);
  ASSERT_TRUE(backend->stream().wait().is_ok()) << "wait() clears the error";
  expect_near(values(*backend, x), by_cpu(in_));
}

TEST_F(MetalBackendTest, WhatTheGpuLosesTheCpuDoesAgain) {
  for (const int lost_from : {0, 1, 2}) {
    host_gpu() = HostGpu();
    host_gpu().lost_from = lost_from;
    const std::unique_ptr<Backend> backend = make(3 * 64 * 64);
    const Tensor x = chain(*backend, in_);
    const Status status = backend->stream().wait();
    ASSERT_TRUE(status.is_ok()) << status.message();
    expect_near(values(*backend, x), by_cpu(in_));
    EXPECT_NE(backend->remark().find("failed 1 time, and the CPU did the work"), std::string::npos);
    EXPECT_NE(backend->remark().find("in the background"), std::string::npos);
  }
}

TEST_F(MetalBackendTest, AfterALossTheGpuIsTriedAgainLater) {
  host_gpu().lost_from = 0;
  const std::unique_ptr<Backend> backend = make();
  (void)chain(*backend, in_);
  ASSERT_TRUE(backend->stream().wait().is_ok());
  host_gpu().lost_from = -1;
  const int n_before = host_gpu().n_committed;
  for (int i = 0; i < 31; ++i) {
    const Tensor x = chain(*backend, in_, 1);
    ASSERT_TRUE(backend->stream().wait().is_ok());
    EXPECT_EQ(values(*backend, x).size(), in_.size());
  }
  EXPECT_EQ(host_gpu().n_committed, n_before);
  const Tensor x = chain(*backend, in_);
  ASSERT_TRUE(backend->stream().wait().is_ok());
  EXPECT_EQ(host_gpu().n_committed, n_before + 1);
  expect_near(values(*backend, x), by_cpu(in_));
}

TEST_F(MetalBackendTest, WithoutACommandBufferOrMemoryForUploadsTheCpuComputes) {
  for (const bool refuses : {true, false}) {
    host_gpu() = HostGpu();
    const std::unique_ptr<Backend> backend = make();
    host_gpu().refuses_to_begin = refuses;
    host_gpu().largest_bytes = refuses ? SIZE_MAX : 100'000;  // less than what uploads go through
    const Tensor x = chain(*backend, in_);
    ASSERT_TRUE(backend->stream().wait().is_ok());
    expect_near(values(*backend, x), by_cpu(in_));
    EXPECT_NE(backend->remark(), "");
  }
}

TEST_F(MetalBackendTest, ACancelledCallDoesNotBecomeTheCpus) {
  host_gpu().lost_from = 0;
  const std::unique_ptr<Backend> backend = make(3 * 64 * 64);
  int calls = 0;
  backend->stream().set_abort_callback([](void* data) { return ++*static_cast<int*>(data) >= 2; }, &calls);
  (void)chain(*backend, in_);
  EXPECT_EQ(backend->stream().wait().code(), Code::kCancelled);
  EXPECT_EQ(backend->remark(), "");
}

TEST_F(MetalBackendTest, WeightsAreRowsInOneCopy) {
  const std::unique_ptr<Backend> backend = make();
  EXPECT_EQ(backend->weight_bytes(DType::kQ5_0, {512, 64}), 512U * 2 * 22);
  EXPECT_EQ(backend->weight_bytes(DType::kF16, {7, 64}), 7U * 64 * 2);
  EXPECT_TRUE(backend->check_model(64).is_ok());
  EXPECT_EQ(backend->check_model(80).code(), Code::kUnsupported);
}

}  // namespace
}  // namespace speech
