// Arrays for kernel tests that begin at any element and end where their memory ends, so that a sanitizer sees an
// overrun.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace speech {

/// n elements, `shift` elements behind the start of an allocation that ends with them; canaries watch the elements
/// before.
template <typename T>
class Array {
 public:
  Array(std::size_t n, std::size_t shift, T value = T{}) : shift_(shift), memory_(shift + n, value) {
    for (std::size_t i = 0; i < shift; ++i) {
      memory_[i] = T{99};
    }
  }

  T* data() { return memory_.data() + shift_; }
  const T* data() const { return memory_.data() + shift_; }
  std::size_t size() const { return memory_.size() - shift_; }
  T& operator[](std::size_t i) { return memory_[shift_ + i]; }
  const T& operator[](std::size_t i) const { return memory_[shift_ + i]; }
  bool front_is_untouched() const {
    for (std::size_t i = 0; i < shift_; ++i) {
      if (memory_[i] != T{99}) {
        return false;
      }
    }
    return true;
  }

 private:
  std::size_t shift_;
  std::vector<T> memory_;
};

inline Array<float> random_array(std::size_t n, std::size_t shift, unsigned seed, float spread = 1.0F) {
  Array<float> array(n, shift);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0F, spread);
  for (std::size_t i = 0; i < n; ++i) {
    array[i] = normal(generator);
  }
  return array;
}

/// Lengths that take every path of a kernel: none, parts of a vector, whole vectors, unrolled steps and their tails.
inline constexpr std::size_t kMostElements = 2 * 32 + 9;

}  // namespace speech
