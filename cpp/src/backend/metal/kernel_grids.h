// How many threads each Metal kernel runs on, and its memory: what the host asks for. Must not know Metal.
#pragma once

#include <cstdint>

#include "backend/metal/kernel_params.h"

namespace speech {

/// A dispatch: threadgroups in x, y and z, threads of each (whole simdgroups, all in x), and bytes of its threadgroup
/// memory at index 0, a multiple of 16 as Metal wants; 0: the kernel has no such argument.
struct KernelGrid {
  std::uint32_t groups_x = 1;
  std::uint32_t groups_y = 1;
  std::uint32_t groups_z = 1;
  std::uint32_t threads = kSimdWidth;
  std::uint32_t threadgroup_bytes = 0;
};

namespace grid_detail {

constexpr std::uint32_t parts(std::uint32_t n, std::uint32_t of) { return (n + of - 1) / of; }
constexpr std::uint32_t floats(std::uint32_t n) { return parts(n * 4, 16) * 16; }
constexpr std::uint32_t kElementwiseThreads = 128;

}  // namespace grid_detail

/// Whether linear() and attend() of so many rows take the vector form; a convolution always takes the matrix form.
constexpr bool takes_vector_form(std::uint32_t n_rows) { return n_rows <= kVectorRows; }

constexpr KernelGrid add_grid(const AddParams& params) {
  return {.groups_x = grid_detail::parts(params.count, grid_detail::kElementwiseThreads),
          .threads = grid_detail::kElementwiseThreads};
}

constexpr KernelGrid gather_grid(const LookupParams& params) {
  return {.groups_x = grid_detail::parts(params.width, kSimdWidth), .groups_y = params.rows};
}

constexpr KernelGrid embed_grid(const LookupParams& params) {
  return {.groups_x = grid_detail::parts(params.width, kSimdWidth * kChunk), .groups_y = params.rows};
}

constexpr KernelGrid layer_norm_grid(std::uint32_t n_rows) {
  return {
      .groups_x = n_rows, .threads = kRowSimds * kSimdWidth, .threadgroup_bytes = grid_detail::floats(2 * kRowSimds)};
}

constexpr KernelGrid linear_vector_grid(const LinearParams& params) {
  return {.groups_x = grid_detail::parts(params.n_out, kVectorSimds * kVectorColumns),
          .groups_y = grid_detail::parts(params.n_rows, kVectorRows),
          .threads = kVectorSimds * kSimdWidth};
}

constexpr KernelGrid linear_matrix_grid(const LinearParams& params) {
  return {.groups_x = grid_detail::parts(params.n_out, kTileColumns),
          .groups_y = grid_detail::parts(params.n_rows, kTileRows),
          .threads = kTileSimds * kSimdWidth,
          .threadgroup_bytes = grid_detail::floats((kTileRows + kTileColumns) * kTileDepth)};
}

/// x: heads, y: rows.
constexpr KernelGrid attend_vector_grid(const AttendParams& params) {
  return {.groups_x = params.width / params.head_width,
          .groups_y = params.n_rows,
          .threads = kAttendVectorSimds * kSimdWidth,
          .threadgroup_bytes = grid_detail::floats(kAttendVectorSimds * (kWidestHead + 2))};
}

/// x: heads, y: stretches of rows. Memory: a block of keys or values, scores, and a matrix of each simdgroup.
constexpr KernelGrid attend_matrix_grid(const AttendParams& params) {
  return {.groups_x = params.width / params.head_width,
          .groups_y = grid_detail::parts(params.n_rows, kAttendRows),
          .threads = kAttendRows / 8 * kSimdWidth,
          .threadgroup_bytes =
              grid_detail::floats(kAttendKeys * kWidestHead + kAttendRows * kAttendKeys + kAttendRows * 8)};
}

constexpr KernelGrid attend_weights_grid(std::uint32_t n_rows) {
  return {
      .groups_x = n_rows, .threads = kRowSimds * kSimdWidth, .threadgroup_bytes = grid_detail::floats(2 * kRowSimds)};
}

}  // namespace speech
