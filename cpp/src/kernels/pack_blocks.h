// Packing rows of quantised weights into panels: the text of every table, not a header of its own; see vector_rows.h
// for how it is included.

// The same `n` bytes, those at `at` of a block, of all rows.
SPEECH_TARGET void pack_field(const uint8_t* rows, size_t row_stride_bytes, size_t n_rows, size_t at, size_t n,
                              uint8_t* out) {
  for (size_t r = 0; r < kPanelColumns; ++r) {
    for (size_t j = 0; j < n; ++j) {
      out[r * n + j] = r < n_rows ? rows[r * row_stride_bytes + at + j] : uint8_t{0};
    }
  }
}

// Fields of a block: `kHeads` of two bytes (scale, minimum), `kHigh` bytes of fifth bits, `kCodes` bytes of codes.
template <size_t kHeads, size_t kHigh, size_t kCodes>
SPEECH_TARGET void pack_rows_blocks(const void* rows, size_t row_stride_bytes, size_t n_rows, size_t k, void* panel) {
  constexpr size_t kBytes = kHeads * 2 + kHigh + kCodes;
  const auto* from = static_cast<const uint8_t*>(rows);
  auto* out = static_cast<uint8_t*>(panel);
  for (size_t block = 0; block < k / kFormatBlock; ++block, from += kBytes, out += kBytes * kPanelColumns) {
    for (size_t head = 0; head < kHeads; ++head) {
      pack_field(from, row_stride_bytes, n_rows, head * 2, 2, out + head * 2 * kPanelColumns);
    }
    for (size_t at = kHeads * 2; at < kBytes; at += 4) {
      pack_field(from, row_stride_bytes, n_rows, at, 4, out + at * kPanelColumns);
    }
  }
}
