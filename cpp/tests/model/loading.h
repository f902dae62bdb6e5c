// What the tests of model files do with an image: read it to its end as a loader does, and expect that it is refused.
// Header-only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/byte_source.h"
#include "model/reader.h"
#include "model/synthetic_model.h"
#include "model/tensor_names.h"

namespace speech::testing {

/// Files damaged at random in one test. Under AddressSanitizer each takes ten times as long; there the fuzzer, which
/// starts from the same model, goes on where these end.
#ifdef __SANITIZE_ADDRESS__
inline constexpr int kDamageRounds = 200;
#else
inline constexpr int kDamageRounds = 1000;
#endif

/// Reads everything and checks every tensor. Allocates no more than the piece that is read.
inline Status load_all(std::unique_ptr<ByteSource> source) {
  SPEECH_ASSIGN_OR_RETURN(ModelReader reader, ModelReader::open(std::move(source)));
  TensorChecklist checklist(reader.hyperparameters());
  std::vector<std::byte> piece(1U << 16U);
  while (true) {
    SPEECH_ASSIGN_OR_RETURN(const std::optional<TensorHeader> header, reader.next());
    if (!header) {
      return checklist.all_present();
    }
    SPEECH_ASSIGN_OR_RETURN(const ExpectedTensor* expected, checklist.accept(*header));
    for (std::size_t left = row_bytes(header->dtype, expected->shape.elements()); left > 0;) {
      const std::size_t n = std::min(left, piece.size());
      SPEECH_RETURN_IF_ERROR(reader.read_data(piece.data(), n));
      left -= n;
    }
  }
}

inline Status load_memory(std::span<const std::byte> bytes) { return load_all(memory_source(bytes)); }

/// The same bytes through a callback, which hides how many there are.
inline Status load_callback(std::span<const std::byte> bytes) {
  auto position = std::make_shared<std::size_t>(0);
  return load_all(callback_source([bytes, position](void* out, std::size_t n) {
    const std::size_t n_read = std::min(n, bytes.size() - *position);
    if (n_read > 0) {  // an empty span has no address to copy from
      std::memcpy(out, bytes.data() + *position, n_read);
    }
    *position += n_read;
    return n_read;
  }));
}

using Image = std::vector<std::byte>;

/// A model of 16-wide layers, small against its vocabulary.
inline const SyntheticModel& small_model() {
  static const SyntheticModel model = [] {
    SyntheticSpec spec;
    spec.width = 16;
    return synthetic_model(spec);
  }();
  return model;
}

/// Both ways of reading must refuse the image, with all the parts in the message.
inline void expect_refused(std::span<const std::byte> image, const std::vector<std::string>& parts,
                           Code code = Code::kBadFormat) {
  for (const Status& status : {load_memory(image), load_callback(image)}) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_FALSE(status.message().empty());
    for (const std::string& part : parts) {
      EXPECT_NE(status.message().find(part), std::string::npos) << "'" << part << "' is not in: " << status.message();
    }
  }
}

}  // namespace speech::testing
