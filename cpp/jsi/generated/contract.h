// Generated from templates/jsi/contract.h.j2 by `wsp generate`; do not edit.
//
// The contract that this native part was built for, and the codes of all errors.
#pragma once

#include <string_view>

#include "whisper_ext.h"

namespace speech::js {

inline constexpr std::string_view kModuleName = "Wsp";
inline constexpr int kContractMajor = 1;
inline constexpr int kContractMinor = 0;

/// Codes of errors, as JavaScript compares them.
namespace code {
inline constexpr std::string_view kInvalidArgument = "invalid_argument";
inline constexpr std::string_view kNotFound = "not_found";
inline constexpr std::string_view kBadFormat = "bad_format";
inline constexpr std::string_view kUnsupported = "unsupported";
inline constexpr std::string_view kOutOfMemory = "out_of_memory";
inline constexpr std::string_view kCancelled = "cancelled";
inline constexpr std::string_view kIo = "io";
inline constexpr std::string_view kBusy = "busy";
inline constexpr std::string_view kInternal = "internal";
inline constexpr std::string_view kUnknownOption = "unknown_option";
inline constexpr std::string_view kReleased = "released";
inline constexpr std::string_view kContractMismatch = "contract_mismatch";
inline constexpr std::string_view kNotLinked = "not_linked";
}  // namespace code

/// The code that stands for a number of whisper_ext_last_error_code(); internal for one that is not known.
inline std::string_view code_of(int number) {
  switch (number) {
    case WHISPER_EXT_INVALID_ARGUMENT: return code::kInvalidArgument;
    case WHISPER_EXT_NOT_FOUND: return code::kNotFound;
    case WHISPER_EXT_BAD_FORMAT: return code::kBadFormat;
    case WHISPER_EXT_UNSUPPORTED: return code::kUnsupported;
    case WHISPER_EXT_OUT_OF_MEMORY: return code::kOutOfMemory;
    case WHISPER_EXT_CANCELLED: return code::kCancelled;
    case WHISPER_EXT_IO: return code::kIo;
    case WHISPER_EXT_BUSY: return code::kBusy;
    case WHISPER_EXT_INTERNAL: return code::kInternal;
    default: return "internal";
  }
}

}  // namespace speech::js
