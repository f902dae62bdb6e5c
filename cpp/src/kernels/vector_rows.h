// Functions of one row for any vector instruction set: the text of several tables, not a header of its own.
//
// A file of an instruction set includes this inside its anonymous namespace, behind its primitives, so that each table
// gets its own copy, compiled for its own target and with internal linkage; nothing may be included from here. The
// primitives, all SPEECH_INLINE:
//   Vec, kWidth, kRegisters            floats in a vector, how many, and registers of vectors
//   zero() splat(x)
//   load(p) store(p, v)                kWidth floats, unaligned
//   load_part(p, n) store_part(p, v, n)  the first n < kWidth, of which n may be 0; zeros where nothing was loaded
//   load_halves(p) store_halves(p, v)  kWidth binary16, rounded to nearest even
//   load_16_halves(p, v)               v[0 .. 16 / kWidth) <- 16 of them
//   half_value(p) half_bits(x)         one of them
//   add sub mul maximum minimum; fma(a, b, c) = a b + c; fnma(a, b, c) = c - a b
//   round_to_even(v)
//   keep_from(bound, x, v)             v where x >= bound or is not a number, else 0
//   sum_lanes(v) max_lane(v)           in an order that the table's file fixes
//   keep_first(v, n)                   zeros behind the first n < kWidth lanes
//   sum_each_of_8(v, out)              out[i] <- sum_lanes(v[i]), for 8 vectors
//   load_bytes(p)                      kWidth signed bytes as floats
//   Words, load_words(p), words(w), shift_left<n> shift_right<n> shift_right_signed<n>,
//   shift_right_by(w, n) both(a, b) either(a, b) add_words(a, b) to_float(w)   kWidth 32-bit words
//   as_words(v) as_floats(w)           their bits
// and, behind them, the macro SPEECH_UNROLL before a loop of a small constant count.

// What is long is done with kTogether vectors at a time, one operation after the other: a single chain would leave most
// of the units idle.
constexpr size_t kTogether = kRegisters / 8;

// p[j] <- p[j] * x[j] + c
template <size_t kVectors>
SPEECH_INLINE void horner(Vec* p, const Vec* x, float c) {
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    p[j] = fma(p[j], x[j], splat(c));
  }
}

// e^x for x <= 0 as in scalar.cpp.
template <size_t kVectors>
SPEECH_INLINE void exp_negative(Vec* x) {
  const Vec shift = splat(12582912.0F);
  Vec shifted[kVectors];
  Vec r[kVectors];
  Vec p[kVectors];
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    shifted[j] = fma(x[j], splat(1.44269504F), shift);
  }
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    const Vec n = sub(shifted[j], shift);
    r[j] = fma(n, splat(2.12194440e-4F), fnma(n, splat(0.693359375F), x[j]));
    p[j] = splat(8.29027221e-3F);
  }
  horner<kVectors>(p, r, 4.18981612e-2F);
  horner<kVectors>(p, r, 0.166676387F);
  horner<kVectors>(p, r, 0.499991477F);
  horner<kVectors>(p, r, 0.999999702F);
  horner<kVectors>(p, r, 1.0F);
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    // The low bits of what was shifted are n.
    const Vec power = as_floats(add_words(shift_left<23>(as_words(shifted[j])), words(0x3F800000)));
    x[j] = keep_from(-87.0F, x[j], mul(p[j], power));
  }
}

// As in scalar.cpp.
template <size_t kVectors>
SPEECH_INLINE void gelu(Vec* x) {
  Vec near[kVectors];
  Vec t[kVectors];
  Vec p[kVectors];
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    near[j] = maximum(splat(-5.2F), minimum(splat(5.2F), x[j]));
    t[j] = fma(mul(near[j], near[j]), splat(2.0F / (5.2F * 5.2F)), splat(-1.0F));
    p[j] = splat(-9.21496772e-4F);
  }
  horner<kVectors>(p, t, 2.49916408e-3F);
  horner<kVectors>(p, t, -2.54871044e-3F);
  horner<kVectors>(p, t, 3.69561696e-3F);
  horner<kVectors>(p, t, -9.47629381e-3F);
  horner<kVectors>(p, t, 1.70310773e-2F);
  horner<kVectors>(p, t, -2.50555556e-2F);
  horner<kVectors>(p, t, 3.59471105e-2F);
  horner<kVectors>(p, t, -4.94379476e-2F);
  horner<kVectors>(p, t, 6.39728904e-2F);
  horner<kVectors>(p, t, -7.98603967e-2F);
  horner<kVectors>(p, t, 0.100049511F);
  horner<kVectors>(p, t, -0.135487318F);
  horner<kVectors>(p, t, 0.271899968F);
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    const Vec half = mul(splat(0.5F), x[j]);
    const Vec erf = fma(near[j], p[j], sub(x[j], near[j]));
    x[j] = fma(half, maximum(splat(-1.0F), minimum(splat(1.0F), erf)), half);
  }
}

// kVectors vectors from i on; part: the first of them, of which only n - i values are there.
template <bool kGelu, size_t kVectors, bool kPart>
SPEECH_INLINE void finish_vectors(const float* sum, const float* bias, const float* residual, size_t i, size_t n,
                                  float* out) {
  Vec v[kVectors];
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    const size_t at = i + j * kWidth;
    v[j] = kPart ? load_part(sum + at, n - at) : load(sum + at);
    if (bias != nullptr) {
      v[j] = add(v[j], kPart ? load_part(bias + at, n - at) : load(bias + at));
    }
  }
  if constexpr (kGelu) {
    gelu<kVectors>(v);
  }
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    const size_t at = i + j * kWidth;
    if (residual != nullptr) {
      v[j] = add(v[j], kPart ? load_part(residual + at, n - at) : load(residual + at));
    }
    if constexpr (kPart) {
      store_part(out + at, v[j], n - at);
    } else {
      store(out + at, v[j]);
    }
  }
}

template <bool kGelu>
SPEECH_INLINE void finish_row(const float* sum, const float* bias, const float* residual, size_t n, float* out) {
  size_t i = 0;
  for (; i + kTogether * kWidth <= n; i += kTogether * kWidth) {
    finish_vectors<kGelu, kTogether, false>(sum, bias, residual, i, n, out);
  }
  for (; i + kWidth <= n; i += kWidth) {
    finish_vectors<kGelu, 1, false>(sum, bias, residual, i, n, out);
  }
  if (i < n) {
    finish_vectors<kGelu, 1, true>(sum, bias, residual, i, n, out);
  }
}

SPEECH_TARGET void finish(const float* sum, const float* bias, bool with_gelu, const float* residual, size_t n,
                          float* out) {
  if (with_gelu) {
    finish_row<true>(sum, bias, residual, n, out);
  } else {
    finish_row<false>(sum, bias, residual, n, out);
  }
}

SPEECH_TARGET void layer_norm(const float* in, const float* gamma, const float* beta, size_t n, float* out) {
  const size_t rest = n % kWidth;
  const size_t whole = n - rest;
  Vec total = load_part(in + whole, rest);
  for (size_t i = 0; i < whole; i += kWidth) {
    total = add(total, load(in + i));
  }
  const Vec mean = splat(sum_lanes(total) / static_cast<float>(n));
  const Vec last = keep_first(sub(load_part(in + whole, rest), mean), rest);
  Vec squares = mul(last, last);
  for (size_t i = 0; i < whole; i += kWidth) {
    const Vec distance = sub(load(in + i), mean);
    squares = fma(distance, distance, squares);
  }
  const float variance = sum_lanes(squares) / static_cast<float>(n);
  const Vec inverse = splat(1.0F / __builtin_sqrtf(variance + 1e-5F));
  for (size_t i = 0; i < whole; i += kWidth) {
    store(out + i, fma(mul(sub(load(in + i), mean), inverse), load(gamma + i), load(beta + i)));
  }
  store_part(out + whole, fma(mul(last, inverse), load_part(gamma + whole, rest), load_part(beta + whole, rest)), rest);
}

SPEECH_TARGET void add_row(float* x, const float* y, size_t n) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    store(x + i, add(load(x + i), load(y + i)));
  }
  for (; i < n; ++i) {
    x[i] += y[i];
  }
}

SPEECH_TARGET void scale_row(float* x, size_t n, float factor) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    store(x + i, mul(load(x + i), splat(factor)));
  }
  for (; i < n; ++i) {
    x[i] *= factor;
  }
}

SPEECH_TARGET void f32_to_f16(const float* src, size_t n, uint16_t* dst) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    store_halves(dst + i, load(src + i));
  }
  for (; i < n; ++i) {
    dst[i] = half_bits(src[i]);
  }
}

// The greatest value of several vectors.
template <size_t kVectors>
SPEECH_INLINE float greatest(Vec* v) {
  SPEECH_UNROLL
  for (size_t j = 1; j < kVectors; ++j) {
    v[0] = maximum(v[0], v[j]);
  }
  return max_lane(v[0]);
}

// The greatest of *row_max and all scores * score_scale + mask, score_scale > 0. Those with a mask are stored.
SPEECH_INLINE float highest_score(float* scores, size_t n, float score_scale, const float* mask, float row_max) {
  const size_t whole = n - n % kWidth;
  const size_t together = n - n % (kTogether * kWidth);
  Vec highest[kTogether];
  SPEECH_UNROLL
  for (size_t j = 0; j < kTogether; ++j) {
    highest[j] = splat(mask == nullptr ? -__builtin_inff() : row_max);
  }
  float top;
  size_t i = 0;
  if (mask == nullptr) {
    // Multiplying keeps the order, so that only the greatest need be.
    for (; i < together; i += kTogether * kWidth) {
      SPEECH_UNROLL
      for (size_t j = 0; j < kTogether; ++j) {
        highest[j] = maximum(highest[j], load(scores + i + j * kWidth));
      }
    }
    for (; i < whole; i += kWidth) {
      highest[0] = maximum(highest[0], load(scores + i));
    }
    top = greatest<kTogether>(highest);
    for (; i < n; ++i) {
      top = scores[i] > top ? scores[i] : top;
    }
    top *= score_scale;
    return top > row_max ? top : row_max;
  }
  for (; i < whole; i += kWidth) {
    const Vec score = fma(load(scores + i), splat(score_scale), load(mask + i));
    store(scores + i, score);
    highest[0] = maximum(highest[0], score);
  }
  top = greatest<kTogether>(highest);
  for (; i < n; ++i) {
    scores[i] = scores[i] * score_scale + mask[i];
    top = scores[i] > top ? scores[i] : top;
  }
  return top;
}

// kVectors vectors of weights from their scores, each added to a sum of its own.
template <size_t kVectors>
SPEECH_INLINE void soften(float* scores, Vec factor, Vec minus_top, Vec* totals) {
  Vec v[kVectors];
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    v[j] = fma(load(scores + j * kWidth), factor, minus_top);
  }
  exp_negative<kVectors>(v);
  SPEECH_UNROLL
  for (size_t j = 0; j < kVectors; ++j) {
    store(scores + j * kWidth, v[j]);
    totals[j] = add(totals[j], v[j]);
  }
}

SPEECH_TARGET float softmax_step(float* scores, size_t n, float score_scale, const float* mask, float* row_max,
                                 float* row_sum) {
  const size_t whole = n - n % kWidth;
  const float top = highest_score(scores, n, score_scale, mask, *row_max);
  const Vec factor = splat(mask == nullptr ? score_scale : 1.0F);
  const Vec minus_top = splat(-top);
  Vec totals[kTogether];
  SPEECH_UNROLL
  for (size_t j = 0; j < kTogether; ++j) {
    totals[j] = zero();
  }
  size_t i = 0;
  for (; i + kTogether * kWidth <= n; i += kTogether * kWidth) {
    soften<kTogether>(scores + i, factor, minus_top, totals);
  }
  for (; i < whole; i += kWidth) {
    soften<1>(scores + i, factor, minus_top, totals);
  }
  if (i < n) {
    Vec last = fma(load_part(scores + i, n - i), factor, minus_top);
    exp_negative<1>(&last);
    last = keep_first(last, n - i);
    store_part(scores + i, last, n - i);
    totals[0] = add(totals[0], last);
  }
  float shrink = 1.0F;
  if (*row_max < top) {
    Vec old = splat(*row_max - top);
    exp_negative<1>(&old);
    float lanes[kWidth];
    store(lanes, old);
    shrink = lanes[0];
  }
  SPEECH_UNROLL
  for (size_t j = 1; j < kTogether; ++j) {
    totals[0] = add(totals[0], totals[j]);
  }
  *row_sum = *row_sum * shrink + sum_lanes(totals[0]);
  *row_max = top;
  return shrink;
}
