// Pure parts of decoding for Python.
#include "decode/compression.h"
#include "inspect.h"

namespace speech::inspect {
namespace {

std::size_t compressed_bytes_of(const py::bytes& text) { return compressed_bytes(std::string(text)); }

}  // namespace

void bind_decode(py::module_& module) {
  module.def("compressed_bytes", &compressed_bytes_of, py::arg("text"), "Bytes that zlib's level 6 would make of it.");
}

}  // namespace speech::inspect
