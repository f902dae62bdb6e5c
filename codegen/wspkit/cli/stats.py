"""What a transcription cost, as a table and as plain data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from wspkit import log

if TYPE_CHECKING:
    from wspkit.core import Context, Transcription


def stats_document(context: Context, result: Transcription) -> dict[str, Any]:
    """What --stats shows, as plain data; of a core that does not tell its times, what is known."""
    from wspkit.core import build_facts, can  # noqa: PLC0415 - the native module, not for --help
    from wspkit.core.memory import peak_memory_bytes  # noqa: PLC0415

    told = dataclasses.asdict(result.stats)
    if not can("stats"):
        told = {name: told[name] for name in ("total_ms", "n_threads", "audio_s")}
    return {
        **told,
        "real_time_factor": result.stats.real_time_factor,
        "peak_memory_bytes": peak_memory_bytes(),
        "model_type": context.facts.type,
        "backend": context.backend,
        "backend_reason": context.backend_reason,
        "encoder": context.encoder,
        "encoder_reason": context.encoder_reason,
        "kernel_table": build_facts().kernel_table,
    }


def show_stats(context: Context, result: Transcription, title: str | None) -> None:
    """A table of times and memory on stderr, so that stdout stays the result's own."""
    shown = stats_document(context, result)
    stats = result.stats
    factor = stats.real_time_factor
    windows = _count(stats.n_windows, "window")
    rows = [
        ["audio", f"{stats.audio_s:.2f} s", f"language {result.language or 'unknown'}"],
        ["load", f"{stats.load_ms:.0f} ms", f"model {context.facts.type}, once"],
        ["log-mel", f"{stats.mel_ms:.0f} ms", ""],
        ["encoder", f"{stats.encode_ms:.0f} ms", f"{windows}, {context.encoder_reason}"],
        ["decoder, prompts", f"{stats.prompt_ms:.0f} ms", ""],
        ["decoder, steps", f"{stats.decode_ms:.0f} ms", _count(stats.n_tokens, "token")],
        ["decoder, batches", f"{stats.batched_ms:.0f} ms", _count(stats.n_fallbacks, "fallback")],
        ["sampling", f"{stats.sample_ms:.0f} ms", ""],
        ["total without load", f"{stats.total_ms:.0f} ms", _speed(factor)],
        ["threads", str(stats.n_threads), f"{shown['backend']}, kernels {shown['kernel_table']}"],
        ["weights", _mb(stats.weights_bytes), ""],
        ["caches and buffers", _mb(stats.state_bytes), ""],
    ]
    if (peak := shown["peak_memory_bytes"]) is not None:
        rows.append(["peak memory", _mb(peak), "of the whole process"])
    log.table(["phase", log.Column("value", right=True), "note"], rows, title=title, to_stderr=True)


def _count(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"


def _speed(factor: float | None) -> str:
    return "" if not factor else f"{1 / factor:.1f} times real time (factor {factor:.3f})"


def _mb(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB"
