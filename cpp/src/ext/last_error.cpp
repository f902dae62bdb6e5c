// The last error of the calling thread in C; knows the thread's record and nothing of what fails.
#include "base/last_error.h"

#include "whisper_ext.h"

int whisper_ext_last_error_code(void) { return static_cast<int>(speech::last_error_code()); }

const char* whisper_ext_last_error(void) { return speech::last_error_message(); }

void whisper_ext_clear_error(void) { speech::clear_last_error(); }
