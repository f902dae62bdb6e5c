/* The C side of the small API beside it: what the generated header needs to compile. Made up for tests. */
#ifndef WHISPER_H
#define WHISPER_H

#include <stdbool.h>
#include <stdint.h>

typedef int32_t whisper_token;

enum tiny_strategy { TINY_GREEDY, TINY_BEAM };

struct tiny_params {
    enum tiny_strategy strategy; /* with a comment; and a semicolon in it */
    bool translate;
    bool keep;
    const char * language;
    const whisper_token * prompt_tokens;
    int prompt_n_tokens;
    struct {
        int   n_steps;
        float penalty;
    } inner;
};

struct tiny_vad_params {
    float threshold;
    float overlap;
};

#endif
