// A file that lives as long as a test, under a name that no other process uses: the same tests may run several times at
// once.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>

namespace speech::testing {

/// <temporary folder>/speech-<process>-<name>, holding `bytes`.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, std::span<const std::byte> bytes)
      : path_(std::filesystem::temp_directory_path() / ("speech-" + std::to_string(getpid()) + "-" + name)) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { remove(); }

  std::string path() const { return path_.string(); }

  void remove() const { std::filesystem::remove(path_); }

 private:
  std::filesystem::path path_;
};

}  // namespace speech::testing
