// Cells of the unified self-attention cache.
#include "whisper/kv_cache.h"

#include <algorithm>
#include <cassert>

namespace speech {

void KvCache::clear() {
  std::ranges::fill(cells_, Cell{});
  used_span_ = 0;
}

std::optional<int> KvCache::claim(std::span<const Position> positions, std::span<const SequenceId> sequences) {
  assert(positions.size() == sequences.size());
  const auto n = static_cast<int>(positions.size());
  // First fit from the start, so that the span that attention reads stays as short as the living cells allow.
  int run = 0;
  for (int i = 0; i < n_cells(); ++i) {
    run = cells_[static_cast<std::size_t>(i)].sequences == 0 ? run + 1 : 0;
    if (run == n) {
      const int first = i + 1 - n;
      for (int k = 0; k < n; ++k) {
        const auto index = static_cast<std::size_t>(k);
        cells_[static_cast<std::size_t>(first + k)] = {positions[index], bit(sequences[index])};
      }
      used_span_ = std::max(used_span_, i + 1);
      return first;
    }
  }
  return {};
}

void KvCache::remove(SequenceId sequence, Position begin, Position end) {
  for (Cell& cell : cells_) {
    if ((cell.sequences & bit(sequence)) != 0 && cell.position >= begin && (end < 0 || cell.position < end)) {
      cell.sequences &= ~bit(sequence);
    }
  }
  update_span();
}

void KvCache::copy(SequenceId from, SequenceId to) {
  for (Cell& cell : cells_) {
    if ((cell.sequences & bit(from)) != 0) {
      cell.sequences |= bit(to);
    }
  }
}

void KvCache::rearrange(std::span<const SequenceId> parents) {
  assert(parents.size() <= static_cast<std::size_t>(kMaxSequences));
  for (Cell& cell : cells_) {
    std::uint32_t sequences = 0;
    for (std::size_t i = 0; i < parents.size(); ++i) {
      if ((cell.sequences & bit(parents[i])) != 0) {
        sequences |= bit(static_cast<SequenceId>(i));
      }
    }
    cell.sequences = sequences;
  }
  update_span();
}

void KvCache::update_span() {
  while (used_span_ > 0 && cells_[static_cast<std::size_t>(used_span_ - 1)].sequences == 0) {
    --used_span_;
  }
}

}  // namespace speech
