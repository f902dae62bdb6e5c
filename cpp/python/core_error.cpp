// Implements core_error.h.
#include "core_error.h"

#include <new>
#include <utility>

#include "core_log.h"

namespace speech::python {
namespace {

const char* class_name(whisper_ext_code code) {
  switch (code) {
    case WHISPER_EXT_INVALID_ARGUMENT: return "UsageError";
    case WHISPER_EXT_NOT_FOUND: return "NotFoundError";
    case WHISPER_EXT_BAD_FORMAT: return "BadFormatError";
    case WHISPER_EXT_UNSUPPORTED: return "UnsupportedError";
    case WHISPER_EXT_OUT_OF_MEMORY: return "OutOfMemoryError";
    case WHISPER_EXT_CANCELLED: return "CancelledError";
    case WHISPER_EXT_IO: return "InputOutputError";
    case WHISPER_EXT_BUSY: return "BusyError";
    case WHISPER_EXT_OK:
    case WHISPER_EXT_INTERNAL: break;
  }
  return "InternalError";
}

}  // namespace

Failure::Failure(whisper_ext_code code, std::string found, std::string expected, std::string hint)
    : code_(code), found_(std::move(found)), expected_(std::move(expected)), hint_(std::move(hint)) {}

void Failure::set_python_error() const {
  try {
    const py::object kind = py::module_::import("wspkit.errors").attr(class_name(code_));
    py::dict parts;
    if (!expected_.empty()) parts["expected"] = text_of(expected_);
    if (!hint_.empty()) parts["hint"] = text_of(hint_);
    PyErr_SetObject(kind.ptr(), kind(text_of(found_), **parts).ptr());
  } catch (py::error_already_set& error) {
    error.restore();
  }
}

void throw_last_error(std::string_view doing, whisper_ext_code otherwise) {
  const auto code = static_cast<whisper_ext_code>(whisper_ext_last_error_code());
  if (code != WHISPER_EXT_OK) throw Failure(code, whisper_ext_last_error());
  const std::string logged = last_logged_error();
  throw Failure(otherwise, std::string(doing) + (logged.empty() ? " failed and left no reason" : " failed: " + logged));
}

py::str text_of(std::string_view utf8) {
  PyObject* text = PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "backslashreplace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

void register_errors() {
  py::register_local_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(std::move(pointer));
    } catch (const Failure& failure) {
      failure.set_python_error();
    } catch (const std::bad_alloc&) {
      Failure(WHISPER_EXT_OUT_OF_MEMORY, "memory ran out").set_python_error();
    }
  });
}

}  // namespace speech::python
