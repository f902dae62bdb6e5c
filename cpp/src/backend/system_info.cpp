// Asks the kernels what they found.
#include "backend/system_info.h"

#include "kernels/select.h"

namespace speech {

std::string_view kernel_table_name() { return active_kernels() ? active_kernels().value()->name : "none"; }

std::string system_info() {
  std::string text = "backends: cpu | cpu kernels: " + std::string(kernel_table_name()) + " (available:";
  for (const KernelTable* table : available_kernels()) {
    text += std::string(" ") + table->name;
  }
  return text + ")";
}

}  // namespace speech
