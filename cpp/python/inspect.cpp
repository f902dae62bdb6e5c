// The module wspkit._inspect: layers and kernels of the core for tests, benchmarks and parity. Never shipped; it sees
// every layer and no other part of the product may.
#include "inspect.h"

PYBIND11_MODULE(_inspect, module) {
  module.doc() = "Layers and kernels of the speech core, opened to tests.";
  speech::inspect::bind_audio(module);
  speech::inspect::bind_decode(module);
  speech::inspect::bind_kernels(module);
  speech::inspect::bind_model(module);
  speech::inspect::bind_engine(module);
}
