// Writes a small complete model into the file named as its argument: where a fuzzer of the model reader starts.
#include <cstddef>
#include <cstdio>

#include "model/synthetic_model.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: seed_model FILE\n", stderr);
    return 2;
  }
  speech::testing::SyntheticSpec spec;
  spec.n_audio_ctx = 4;
  spec.n_text_ctx = 4;
  spec.width = 32;
  spec.heads = 1;
  const speech::testing::SyntheticModel& model = speech::testing::synthetic_model(spec);
  std::FILE* file = std::fopen(argv[1], "wb");
  if (file == nullptr) {
    std::perror(argv[1]);
    return 1;
  }
  const std::size_t written = std::fwrite(model.bytes.data(), 1, model.bytes.size(), file);
  if (std::fclose(file) != 0 || written != model.bytes.size()) {
    std::perror(argv[1]);
    return 1;
  }
  return 0;
}
