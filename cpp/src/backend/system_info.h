// What this build and this machine compute with, as text for people and logs.
#pragma once

#include <string>
#include <string_view>

namespace speech {

/// Name of the CPU kernel table in use: "avx2", "scalar"; "none" if the one asked for was refused. Zero-terminated,
/// static.
std::string_view kernel_table_name();

/// "backends: cpu | cpu kernels: avx2 (available: scalar avx2)"
std::string system_info();

}  // namespace speech
