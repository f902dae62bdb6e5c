// How failures of the C API become the exceptions of wspkit.errors. Knows the two public headers and Python, no class
// of the module.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <string>
#include <string_view>

#include "whisper_ext.h"

namespace speech::python {

namespace py = pybind11;

/// A failure on its way to Python, where it becomes the class of wspkit.errors that belongs to its code.
/// found, expected and hint are the parts of that class's message; the last two may be empty.
class Failure : public std::exception {
 public:
  Failure(whisper_ext_code code, std::string found, std::string expected = {}, std::string hint = {});

  const char* what() const noexcept override { return found_.c_str(); }

  /// Makes this failure the current Python exception. Needs the GIL.
  void set_python_error() const;

 private:
  whisper_ext_code code_;
  std::string found_;
  std::string expected_;
  std::string hint_;
};

/// Throws the calling thread's last error of the C API. Where the library left none, as whisper.cpp does, `doing` names
/// the work, `otherwise` is the code, and the last error that was logged says the rest.
[[noreturn]] void throw_last_error(std::string_view doing, whisper_ext_code otherwise = WHISPER_EXT_INTERNAL);

/// Text of the library as a str. Bytes that are not UTF-8 are escaped, so that no message is ever lost. Needs the GIL.
py::str text_of(std::string_view utf8);

/// Lets pybind11 translate Failure and std::bad_alloc thrown in this module.
void register_errors();

}  // namespace speech::python
