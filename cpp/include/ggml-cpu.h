/* Included by whisper.h as by upstream's; programs get ggml-backend.h through it. */
#ifndef GGML_CPU_H
#define GGML_CPU_H

#include "ggml-backend.h"

#endif
