/* The C side of the small API beside it: what the generated header needs to compile. Made up for tests. */
#ifndef WHISPER_H
#define WHISPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t whisper_token;

enum tiny_strategy { TINY_GREEDY, TINY_BEAM };

struct tiny_vad_params {
    float threshold;
    float samples_overlap;
};

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
    const int ** parsed_rules;
    size_t n_parsed_rules;
    const char * model_path;
    struct tiny_vad_params vad_params;
    bool debug;
};

enum tiny_kind { TINY_NONE, TINY_SOME };

struct tiny_context_params {
    bool use_fire;
    enum tiny_kind kind;
};

#endif
