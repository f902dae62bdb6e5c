// Which cell of the self-attention cache holds which position of which sequences. Book-keeping only: the keys and
// values themselves are the engine's; nothing here knows tensors.
//
// One unified cache serves all sequences (prompt, best-of draws, beams): a cell that several sequences share is
// computed and stored once, and copying a sequence copies bits, not numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace speech {

using Position = std::int32_t;
using SequenceId = std::int32_t;

/// Sequence ids are 0 .. kMaxSequences - 1.
inline constexpr int kMaxSequences = 32;

class KvCache {
 public:
  explicit KvCache(int n_cells = 0) : cells_(static_cast<std::size_t>(n_cells)) {}

  int n_cells() const { return static_cast<int>(cells_.size()); }

  /// Cells from 0 to the last one in use: what attention has to look at.
  int n_used_span() const { return used_span_; }

  void clear();

  /// Takes the first free run of positions.size() cells for the sequence ids given one by one, and returns its first
  /// cell. Empty if there is no such run; nothing is changed then.
  std::optional<int> claim(std::span<const Position> positions, std::span<const SequenceId> sequences);

  /// Takes positions [begin, end) out of the sequence; end < 0 means all that follow. Cells of no sequence are free.
  void remove(SequenceId sequence, Position begin = 0, Position end = -1);

  /// Makes all cells of `from` cells of `to` as well.
  void copy(SequenceId from, SequenceId to);

  /// Sequence i becomes what parents[i] was, for all i at once; sequences without a parent are dropped. Free where
  /// cells are of no sequence any more. parents.size() <= kMaxSequences.
  void rearrange(std::span<const SequenceId> parents);

  /// True if a token of `sequence` at `position` attends to cell i: same sequence, not in its future.
  bool visible(int i, SequenceId sequence, Position position) const {
    const Cell& cell = cells_[static_cast<std::size_t>(i)];
    return (cell.sequences & bit(sequence)) != 0 && cell.position <= position;
  }

 private:
  struct Cell {
    Position position = -1;
    std::uint32_t sequences = 0;  // one bit each; 0 means free
  };
  static std::uint32_t bit(SequenceId sequence) { return 1U << static_cast<unsigned>(sequence); }
  void update_span();

  std::vector<Cell> cells_;
  int used_span_ = 0;
};

}  // namespace speech
