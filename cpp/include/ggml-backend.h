/* What programs for whisper.h use of ggml's back-end registry. */
#ifndef GGML_BACKEND_H
#define GGML_BACKEND_H

#include "ggml.h"

#ifdef __cplusplus
extern "C" {
#endif

/* May be called and does nothing: every back-end of this library is built in and found when a model is loaded. */
GGML_API void ggml_backend_load_all          (void);
GGML_API void ggml_backend_load_all_from_path(const char * dir_path);

#ifdef __cplusplus
}
#endif

#endif
