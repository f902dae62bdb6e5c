/* The second header of the small API: a struct for what the first one lacks. Made up for tests. */
#ifndef WHISPER_EXT_H
#define WHISPER_EXT_H

#include "whisper.h"

enum whisper_ext_code { WHISPER_EXT_OK = 0, WHISPER_EXT_INVALID_ARGUMENT = 1 };

struct tiny_further_params {
    size_t size;
    const char * const * candidates;
    int n_candidates;
    uint64_t seed;
};

#endif
