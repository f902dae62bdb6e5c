"""Greedy decoding of one window at temperature 0: always the most probable token allowed.

Must not know the recording around the window. Source: the decoding loop of whisper.cpp as its
interface documents it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wspkit.parity.decoder import cross_keys_values, decode, empty_cache
from wspkit.parity.layers import softmax
from wspkit.parity.logit_rules import Rules, apply_rules
from wspkit.parity.weights import Array, Weights

FRAMES_PER_TIMESTAMP = 2
WINDOW_FRAMES = 3000
#: Frames, 10 ms each: the rest of a recording that is too short to be worth a window.
SHORTEST_REST_FRAMES = 10

#: Logits (V,) after the tokens given, which follow those of earlier calls.
Model = Callable[[Sequence[int]], Array]


@dataclass(frozen=True)
class Window:
    """What greedy decoding made of one window."""

    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    #: How far the window moves on.
    advance_frames: int
    no_speech_probability: float
    #: Time went backwards, or the end came before anything was said.
    failed: bool


def reference_model(weights: Weights, audio: Array) -> Model:
    """The NumPy decoder behind an encoder's output, as greedy decoding sees it. audio.

    (1500, D).
    """
    cross = cross_keys_values(weights, audio)
    cache = empty_cache(weights)

    def step(tokens: Sequence[int]) -> Array:
        nonlocal cache
        logits, cache = decode(weights, tokens, cache, cross)
        last: Array = logits[-1]
        return last

    return step


def decode_greedily(
    model: Model,
    prompt: Sequence[int],
    rules: Rules,
    frames_left: int = WINDOW_FRAMES,
    n_text_ctx: int = 448,
) -> Window:
    """Chooses tokens until the end token, the end of the recording, or the longest text allowed.

    frames_left: frames of the recording from the window's start on. prompt: past text and the
    tokens of the task.
    """
    special = rules.special
    logits = model(prompt)
    no_speech_probability = float(softmax(logits)[special.no_speech])
    history: list[int] = []
    logprobs: list[float] = []
    kept, advance, stamped, failed = 0, WINDOW_FRAMES, False, False
    n_most = n_text_ctx // 2 - 4
    for i in range(n_most):
        earliest = special.first_timestamp + (advance // FRAMES_PER_TIMESTAMP if stamped else 0)
        choice = apply_rules(logits, history, earliest, rules)
        token = int(choice.argmax())
        history.append(token)
        logprobs.append(float(choice[token]))
        if token > special.first_timestamp:
            moved = FRAMES_PER_TIMESTAMP * (token - special.first_timestamp)
            if stamped and advance > moved and kept < i:
                failed = True
                break
            advance, kept, stamped = moved, i + 1, True
        at_end_of_audio = advance + SHORTEST_REST_FRAMES >= frames_left
        if token == special.end_of_text or (stamped and at_end_of_audio):
            if kept == 0 and at_end_of_audio:
                kept = i + 1
            failed = kept == 0
            break
        if i == n_most - 1 and (kept == 0 or advance < WINDOW_FRAMES // 2):
            failed = True
            break
        logits = model([token])
    return Window(
        tuple(history[:kept]),
        tuple(logprobs[:kept]),
        advance,
        no_speech_probability,
        failed,
    )
