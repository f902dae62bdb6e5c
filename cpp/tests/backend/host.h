// Host-side tensors for back-end tests: makes random data, uploads and loads it, reads results. Knows only backend.h.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "backend/registry.h"
#include "base/half.h"

// Kinds that tests of all back-ends run on; another program has others.
#ifndef SPEECH_TEST_KINDS
#define SPEECH_TEST_KINDS "cpu", "deferred"
#endif

namespace speech {

/// One back-end of a kind, with every buffer that a test makes kept alive.
class Host {
 public:
  explicit Host(const std::string& kind, int n_threads = 1) {
    auto factory = backend_factory(kind);
    EXPECT_TRUE(factory.is_ok()) << factory.status().message();
    auto backend = factory.value()();
    EXPECT_TRUE(backend.is_ok()) << backend.status().message();
    backend_ = std::move(backend).value();
    backend_->stream().set_n_threads(n_threads);
  }

  Backend& backend() { return *backend_; }
  Stream& stream() { return backend_->stream(); }

  Tensor empty(DType dtype, const Shape& shape) {
    auto buffer = backend_->allocate(std::max<std::size_t>(row_bytes(dtype, shape.elements()), 1));
    EXPECT_TRUE(buffer.is_ok());
    buffers_.push_back(buffer.value());
    return {buffers_.back().get(), 0, dtype, shape};
  }

  Tensor f32(const Shape& shape, const std::vector<float>& values) { return upload(DType::kF32, shape, values); }
  Tensor i32(const std::vector<std::int32_t>& values) {
    return upload(DType::kI32, {static_cast<std::int64_t>(values.size())}, values);
  }
  Tensor f16(const Shape& shape, const std::vector<float>& values) {
    std::vector<std::uint16_t> halves;
    for (const float value : values) {
      halves.push_back(float_to_half(value));
    }
    return upload(DType::kF16, shape, halves);
  }

  /// A weight from its file image, given in pieces of odd sizes as a reader may.
  Tensor weight(DType dtype, const Shape& shape, const std::vector<std::byte>& image) {
    auto buffer = backend_->allocate(backend_->weight_bytes(dtype, shape));
    EXPECT_TRUE(buffer.is_ok());
    buffers_.push_back(buffer.value());
    const Tensor tensor{buffers_.back().get(), 0, dtype, shape};
    std::size_t at = 0;
    const Status status = backend_->load_weight(tensor, [&](void* out, std::size_t n) {
      EXPECT_LE(at + n, image.size());
      std::memcpy(out, image.data() + at, n);
      at += n;
      return Status::ok();
    });
    EXPECT_TRUE(status.is_ok()) << status.message();
    EXPECT_EQ(at, image.size());
    return tensor;
  }

  /// The values of a tensor of F32, after all recorded work.
  std::vector<float> values(const Tensor& tensor) {
    const Status status = stream().wait();
    EXPECT_TRUE(status.is_ok()) << status.message();
    const auto view = stream().read(tensor);
    EXPECT_TRUE(view.is_ok()) << view.status().message();
    return {view.value().begin(), view.value().end()};
  }

  /// The values of a tensor of F16: read as pairs, which is how F32 sees the same bytes.
  std::vector<float> half_values(const Tensor& tensor) {
    const std::int64_t n = tensor.shape.elements();
    const std::vector<float> pairs = values({tensor.buffer, tensor.offset_bytes, DType::kF32, {n / 2}});
    std::vector<std::uint16_t> halves(static_cast<std::size_t>(n));
    std::memcpy(halves.data(), pairs.data(), static_cast<std::size_t>(n / 2) * 4);
    std::vector<float> out;
    for (const std::uint16_t half : halves) {
      out.push_back(half_to_float(half));
    }
    return out;
  }

 private:
  template <typename T>
  Tensor upload(DType dtype, const Shape& shape, const std::vector<T>& values) {
    const Tensor tensor = empty(dtype, shape);
    stream().upload(tensor, std::as_bytes(std::span(values)));
    return tensor;
  }

  std::unique_ptr<Backend> backend_;
  std::vector<std::shared_ptr<Buffer>> buffers_;
};

/// n values of a normal distribution; the same for the same seed.
inline std::vector<float> random_values(std::int64_t n, unsigned seed, float spread = 1.0F) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0F, spread);
  std::vector<float> values(static_cast<std::size_t>(n));
  for (float& value : values) {
    value = normal(generator);
  }
  return values;
}

}  // namespace speech
