// Functions of one row for any vector instruction set: the text of several tables, not a header of its own.
//
// A file of an instruction set includes this inside its anonymous namespace, behind its primitives, so that each table
// gets its own copy, compiled for its own target and with internal linkage; nothing may be included from here. The
// primitives, all SPEECH_INLINE:
//   Vec, kWidth                        floats in a vector, and how many
//   zero() splat(x)
//   load(p) store(p, v)                kWidth floats, unaligned
//   load_part(p, n) store_part(p, v, n)  the first n < kWidth, of which n may be 0; zeros where nothing was loaded
//   load_halves(p) store_halves(p, v)  kWidth binary16, rounded to nearest even
//   half_value(p) half_bits(x)         one of them
//   add sub mul divide maximum; fma(a, b, c) = a b + c; fnma(a, b, c) = c - a b
//   absolute(v) negate(v) round_to_even(v)
//   power_of_two(v)                    2^v of whole numbers -126 .. 0, anything of others
//   keep_from(bound, x, v)             v where x >= bound or is not a number, else 0
//   where_negative(x, a, b)            a where the sign of x is set, else b
//   sum_lanes(v) max_lane(v)           in an order that the table's file fixes
//   keep_first(v, n)                   zeros behind the first n < kWidth lanes
//   sum_each_of_8(v, out)              out[i] <- sum_lanes(v[i]), for 8 vectors
//   load_bytes(p)                      kWidth signed bytes as floats
//   Words, load_words(p), words(w), shift_left<n> shift_right<n> shift_right_signed<n>,
//   shift_right_by(w, n) both(a, b) either(a, b) to_float(w)   kWidth 32-bit words
// and, behind them, the macro SPEECH_UNROLL before a loop of a small constant count.

// e^x for x <= 0 as in scalar.cpp: x = n ln 2 + r and the Taylor series of e^r up to r^7; 0 below -87, NaN stays NaN.
SPEECH_INLINE Vec exp_negative(Vec x) {
  const Vec n = round_to_even(mul(x, splat(1.44269504F)));
  Vec r = fnma(n, splat(0.693359375F), x);
  r = fma(n, splat(2.12194440e-4F), r);
  Vec p = splat(1.0F / 5040.0F);
  p = fma(p, r, splat(1.0F / 720.0F));
  p = fma(p, r, splat(1.0F / 120.0F));
  p = fma(p, r, splat(1.0F / 24.0F));
  p = fma(p, r, splat(1.0F / 6.0F));
  p = fma(p, r, splat(0.5F));
  p = fma(p, r, splat(1.0F));
  p = fma(p, r, splat(1.0F));
  return keep_from(-87.0F, x, mul(p, power_of_two(n)));
}

// Abramowitz and Stegun 7.1.26, as in scalar.cpp.
SPEECH_INLINE Vec gelu(Vec x) {
  const Vec one = splat(1.0F);
  const Vec z = mul(absolute(x), splat(0.707106781F));
  const Vec t = divide(one, fma(z, splat(0.3275911F), one));
  Vec p = splat(1.061405429F);
  p = fma(p, t, splat(-1.453152027F));
  p = fma(p, t, splat(1.421413741F));
  p = fma(p, t, splat(-0.284496736F));
  p = fma(p, t, splat(0.254829592F));
  const Vec complement = mul(mul(p, t), exp_negative(negate(mul(z, z))));
  return mul(mul(splat(0.5F), x), where_negative(x, complement, sub(splat(2.0F), complement)));
}

template <bool kGelu>
SPEECH_INLINE Vec finished(Vec sum, const float* bias, const float* residual, size_t i, size_t n) {
  const bool whole = n - i >= kWidth;
  if (bias != nullptr) {
    sum = add(sum, whole ? load(bias + i) : load_part(bias + i, n - i));
  }
  if (kGelu) {
    sum = gelu(sum);
  }
  if (residual != nullptr) {
    sum = add(sum, whole ? load(residual + i) : load_part(residual + i, n - i));
  }
  return sum;
}

template <bool kGelu>
SPEECH_INLINE void finish_row(const float* sum, const float* bias, const float* residual, size_t n, float* out) {
  size_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    store(out + i, finished<kGelu>(load(sum + i), bias, residual, i, n));
  }
  if (i < n) {
    store_part(out + i, finished<kGelu>(load_part(sum + i, n - i), bias, residual, i, n), n - i);
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

SPEECH_TARGET float softmax_step(float* scores, size_t n, float score_scale, const float* mask, float* row_max,
                                 float* row_sum) {
  const size_t rest = n % kWidth;
  const size_t whole = n - rest;
  const Vec factor = splat(score_scale);
  const Vec old_maximum = splat(*row_max);
  Vec highest = old_maximum;
  for (size_t i = 0; i < whole; i += kWidth) {
    Vec score = mul(load(scores + i), factor);
    if (mask != nullptr) {
      score = add(score, load(mask + i));
    }
    store(scores + i, score);
    highest = maximum(highest, score);
  }
  float top = max_lane(highest);
  for (size_t i = whole; i < n; ++i) {
    scores[i] = scores[i] * score_scale + (mask != nullptr ? mask[i] : 0.0F);
    top = scores[i] > top ? scores[i] : top;
  }

  highest = splat(top);
  const Vec last = keep_first(exp_negative(sub(load_part(scores + whole, rest), highest)), rest);
  store_part(scores + whole, last, rest);
  Vec total = last;
  for (size_t i = 0; i < whole; i += kWidth) {
    const Vec weight = exp_negative(sub(load(scores + i), highest));
    store(scores + i, weight);
    total = add(total, weight);
  }
  float shrink[kWidth];
  store(shrink, exp_negative(sub(old_maximum, highest)));
  *row_sum = *row_sum * shrink[0] + sum_lanes(total);
  *row_max = top;
  return shrink[0];
}
