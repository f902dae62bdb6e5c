// Options of a transcription as the public headers take them, from the generated Python dataclass.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "generated/options.h"
#include "whisper_ext.h"

namespace speech::python {

/// A transcription's options in their C structs, with all that these point to. It stays where it is until the call that
/// reads them has returned. Needs the GIL.
class CallOptions {
 public:
  /// options: a TranscribeOptions; None leaves the C defaults. Throws like option_value, and a BAD_FORMAT Failure that
  /// names line and column for a grammar that is none.
  explicit CallOptions(const pybind11::object& options);
  CallOptions(const CallOptions&) = delete;
  CallOptions& operator=(const CallOptions&) = delete;

  whisper_full_params params;
  whisper_ext_options more = whisper_ext_default_options();

 private:
  struct FreeGrammar {
    void operator()(whisper_ext_grammar* grammar) const { whisper_ext_grammar_free(grammar); }
  };

  TranscribeStorage storage_;
  std::unique_ptr<whisper_ext_grammar, FreeGrammar> grammar_;
};

/// All plain fields of the options as a dict, nested ones with a dot in their name; for tests, which hold each option
/// against the field that it must reach. Callbacks and their data are left out. Written by hand although options.h is
/// generated: tests compare the two.
pybind11::dict fields_of(const whisper_full_params& params, const whisper_ext_options& more);

/// Adds params_as_dict to the module.
void bind_options(pybind11::module_& module);

}  // namespace speech::python
