// Writes a complete voice activity model into the file named as its argument: where a fuzzer of its reader starts.
#include <cstddef>
#include <cstdio>

#include "vad/synthetic_silero.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: seed_vad_model FILE\n", stderr);
    return 2;
  }
  const speech::testing::SyntheticSilero model = speech::testing::synthetic_silero();
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
