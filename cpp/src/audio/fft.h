// Power spectra of 400-sample frames, several at once. Knows no audio; the length is the only thing that it shares with
// log-mel.
#pragma once

#include <array>

namespace speech {

inline constexpr int kFftLength = 400;                    ///< real samples, 2^4 * 5^2
inline constexpr int kSpectrumBins = kFftLength / 2 + 1;  ///< 201

/// Frames that are transformed together, one per lane: the same operations in the same order on each, so compilers turn
/// the lane loops into vector instructions, and no frame's result depends on its neighbours or its lane.
inline constexpr int kFftLanes = 4;

/// One double of each of the frames.
struct FftLanes {
  double lane[kFftLanes];
};

struct FftComplex {
  FftLanes re;
  FftLanes im;
};

/// Fast Fourier transform of real frames of 400 samples, in double precision. Constant once made; any number of threads
/// may use it.
class RealFft400 {
 public:
  /// Working memory of one call; 25 KiB, so that a thread keeps one beside its frames.
  struct Scratch {
    std::array<FftComplex, kFftLength / 2> a;
    std::array<FftComplex, kFftLength / 2> b;
  };

  /// The process's one object; its tables are filled at the first call.
  static const RealFft400& instance();

  /// |X[k]|^2 for k = 0..200 of X[k] = sum over n of frames[n] * exp(-2 pi i k n / 400), not scaled; power: (201,),
  /// overwritten.
  void power(const std::array<FftLanes, kFftLength>& frames, Scratch& scratch,
             std::array<FftLanes, kSpectrumBins>& power) const;

 private:
  RealFft400();

  struct Root {
    double cosine;  // of an angle 2 pi k / n
    double sine;    // minus its sine: the imaginary part of exp(-2 pi i k / n)
  };

  template <int kRadix>
  void pass(const FftComplex* in, FftComplex* out, int length, int stride) const;

  std::array<Root, kFftLength / 2> roots_200_;      // exp(-2 pi i k / 200): twiddles of the passes
  std::array<Root, kFftLength / 2 + 1> roots_400_;  // exp(-2 pi i k / 400): separates even and odd samples
};

}  // namespace speech
