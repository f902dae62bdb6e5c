// The kernel tables of this machine for Python, each function by the table's name.
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "inspect.h"
#include "kernels/kernel_table.h"
#include "kernels/select.h"
#include "tensor/dtype.h"

namespace speech::inspect {
namespace {

constexpr std::array<DType, kWeightFormats> kDTypes = {DType::kF32,  DType::kF16,  DType::kQ4_0, DType::kQ4_1,
                                                       DType::kQ5_0, DType::kQ5_1, DType::kQ8_0, DType::kQ2_K,
                                                       DType::kQ3_K, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};

const KernelTable& table_named(std::string_view name) {
  for (const KernelTable* table : available_kernels()) {
    if (name == table->name) {
      return *table;
    }
  }
  throw py::value_error("no kernel table of that name on this machine");
}

/// By dtype_name(): "f32", "f16", "q4_0" ...
std::size_t format_named(std::string_view name) {
  for (std::size_t i = 0; i < kDTypes.size(); ++i) {
    if (name == dtype_name(kDTypes[i])) {
      return i;
    }
  }
  throw py::value_error("no weight format of that name");
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const KernelTable* table : available_kernels()) {
    names.emplace_back(table->name);
  }
  return names;
}

/// The bytes of `rows` rows of k weights.
std::size_t checked_row_bytes(const ByteArray& weights, std::size_t format, py::ssize_t rows, py::ssize_t k) {
  expect(k % block_info(kDTypes[format]).values == 0, "k must be whole blocks");
  const std::size_t bytes = row_bytes(kDTypes[format], k);
  expect(static_cast<std::size_t>(weights.size()) == bytes * static_cast<std::size_t>(rows),
         "weights do not fill their rows");
  return bytes;
}

FloatArray to_f32(const std::string& table, const std::string& format, const ByteArray& weights, py::ssize_t n) {
  const std::size_t index = format_named(format);
  const std::size_t stride = checked_row_bytes(weights, index, 1, n);
  const auto count = static_cast<std::size_t>(n);
  FloatArray out(n);
  table_named(table).to_f32[index](weights.data(), stride, 1, count, out.mutable_data(), count);
  return out;
}

py::array_t<std::uint16_t> f32_to_f16(const std::string& table, const FloatArray& values) {
  py::array_t<std::uint16_t> out(values.size());
  table_named(table).f32_to_f16(values.data(), static_cast<std::size_t>(values.size()), out.mutable_data());
  return out;
}

/// (n_x, k) times the transpose of n_weights rows: (n_x, n_weights).
FloatArray dots(const std::string& table, const std::string& format, const ByteArray& weights, py::ssize_t n_weights,
                const FloatArray& x) {
  expect(x.ndim() == 2 && x.shape(0) <= kMaxDotRows, "x must be (n, k) with n <= 8");
  const std::size_t index = format_named(format);
  const auto k = static_cast<std::size_t>(x.shape(1));
  const std::size_t stride = checked_row_bytes(weights, index, n_weights, x.shape(1));
  FloatArray out({x.shape(0), n_weights});
  const auto n_out = static_cast<std::size_t>(n_weights);
  const KernelTable& kernels = table_named(table);
  const auto n_x = static_cast<std::size_t>(x.shape(0));
  if (index == kFormatF32) {
    kernels.dots[index](weights.data(), stride, n_out, k, x.data(), k, n_x, out.mutable_data(), n_out);
    return out;
  }
  expect(index < kPanelFormats, "weights of this format have no panels");
  // As a model's matrices are multiplied: packed into panels, the last of which may be part of one.
  const std::size_t n_panels = (n_out + kPanelColumns - 1) / kPanelColumns;
  const std::size_t panel_bytes = stride * kPanelColumns;
  std::vector<std::uint8_t> panels(n_panels * panel_bytes);
  for (std::size_t p = 0; p < n_panels; ++p) {
    const std::size_t first = p * kPanelColumns;
    kernels.pack_rows[index](weights.data() + first * stride, stride,
                             std::min<std::size_t>(kPanelColumns, n_out - first), k, panels.data() + p * panel_bytes);
  }
  const std::size_t wide = n_panels * kPanelColumns;
  std::vector<float> sums(n_x * wide);
  if (index == kFormatF16) {
    kernels.half_panel_dots(panels.data(), panel_bytes, n_panels, k, x.data(), k, n_x, sums.data(), wide);
  } else {
    std::vector<ActivationBlock> blocks(k / kFormatBlock * n_x);
    for (std::size_t n = 0; n < n_x; ++n) {
      kernels.quantize(x.data() + n * k, k, blocks.data() + n, n_x);
    }
    kernels.panel_products[index](panels.data(), panel_bytes, n_panels, k, blocks.data(), n_x, n_x, sums.data(), wide);
  }
  for (std::size_t n = 0; n < n_x; ++n) {
    std::copy_n(sums.data() + n * wide, n_out, out.mutable_data() + n * n_out);
  }
  return out;
}

/// (n, k) times the transpose of (m, k): (n, m), by packed panels.
FloatArray gemm(const std::string& table, const FloatArray& a, const FloatArray& b) {
  expect(a.ndim() == 2 && b.ndim() == 2 && a.shape(1) == b.shape(1), "a must be (n, k) and b (m, k)");
  const KernelTable& kernels = table_named(table);
  const auto n_rows = static_cast<std::size_t>(a.shape(0));
  const auto n_columns = static_cast<std::size_t>(b.shape(0));
  const auto k = static_cast<std::size_t>(a.shape(1));
  const std::size_t n_panels = (n_columns + kPanelColumns - 1) / kPanelColumns;
  const std::size_t panel_floats = k * kPanelColumns;
  std::vector<float> panels(n_panels * panel_floats);
  for (std::size_t p = 0; p < n_panels; ++p) {
    const std::size_t first = p * kPanelColumns;
    kernels.pack_panel(b.data() + first * k, k, std::min<std::size_t>(kPanelColumns, n_columns - first), k,
                       panels.data() + p * panel_floats);
  }
  const std::size_t stride = n_panels * kPanelColumns;
  std::vector<float> c(n_rows * stride);
  kernels.gemm(a.data(), k, n_rows, k, panels.data(), kPanelColumns, panel_floats, n_panels, c.data(), stride, false);
  FloatArray out({a.shape(0), b.shape(0)});
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::copy_n(c.data() + i * stride, n_columns, out.mutable_data() + i * n_columns);
  }
  return out;
}

/// act(x + bias) for each row, bias (n,).
FloatArray finish(const std::string& table, const FloatArray& x, const FloatArray& bias, bool gelu) {
  expect(x.size() == bias.size(), "x and bias must be (n,)");
  FloatArray out(x.size());
  table_named(table).finish(x.data(), bias.data(), gelu, nullptr, static_cast<std::size_t>(x.size()),
                            out.mutable_data());
  return out;
}

FloatArray layer_norm(const std::string& table, const FloatArray& x, const FloatArray& gamma, const FloatArray& beta) {
  expect(x.size() == gamma.size() && x.size() == beta.size(), "x, gamma and beta must be (n,)");
  FloatArray out(x.size());
  table_named(table).layer_norm(x.data(), gamma.data(), beta.data(), static_cast<std::size_t>(x.size()),
                                out.mutable_data());
  return out;
}

/// Softmax of scores * scale (n,), taken in blocks of `block` values as attention does.
FloatArray softmax(const std::string& table, const FloatArray& scores, float scale, std::size_t block) {
  expect(block > 0, "a block holds at least one value");
  const KernelTable& kernels = table_named(table);
  const auto n = static_cast<std::size_t>(scores.size());
  std::vector<float> values(scores.data(), scores.data() + n);
  float maximum = kSoftmaxStart;
  float sum = 0;
  for (std::size_t at = 0; at < n; at += block) {
    const std::size_t count = std::min(block, n - at);
    const float factor = kernels.softmax_step(values.data() + at, count, scale, nullptr, &maximum, &sum);
    kernels.scale(values.data(), at, factor);
  }
  kernels.scale(values.data(), n, 1.0F / sum);
  return array_of(values, {static_cast<py::ssize_t>(n)});
}

}  // namespace

void bind_kernels(py::module_& module) {
  module.def("kernel_tables", &table_names, "Names of the tables that this machine can run, scalar first.");
  module.def("kernel_to_f32", &to_f32, py::arg("table"), py::arg("weight_format"), py::arg("weights"), py::arg("n"));
  module.def("kernel_f32_to_f16", &f32_to_f16, py::arg("table"), py::arg("values"));
  module.def("kernel_dots", &dots, py::arg("table"), py::arg("weight_format"), py::arg("weights"), py::arg("n_weights"),
             py::arg("x"));
  module.def("kernel_gemm", &gemm, py::arg("table"), py::arg("a"), py::arg("b"));
  module.def("kernel_finish", &finish, py::arg("table"), py::arg("x"), py::arg("bias"), py::arg("gelu"));
  module.def("kernel_layer_norm", &layer_norm, py::arg("table"), py::arg("x"), py::arg("gamma"), py::arg("beta"));
  module.def("kernel_softmax", &softmax, py::arg("table"), py::arg("scores"), py::arg("scale"), py::arg("block"));
}

}  // namespace speech::inspect
