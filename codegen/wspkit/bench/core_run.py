"""One run of one core in a process of its own: loads a model, transcribes recordings, and prints
what it heard and how long it took as the last line of its output.

`WSPKIT_CORE=own|upstream python -m wspkit.bench.core_run JOB`, a JSON file as `Job` writes it. What
goes wrong is printed likewise, so that whoever started it can raise it.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wspkit import errors, log
from wspkit.core.generated.options import TranscribeOptions, VadOptions
from wspkit.core.memory import peak_memory_bytes
from wspkit.errors import BadFormatError, UsageError, WspError
from wspkit.parity.transcripts import Heard, TimedText


@dataclass(frozen=True)
class Job:
    """What a core is to do."""

    model: str
    recordings: tuple[str, ...]
    options: TranscribeOptions

    def to_json(self) -> str:
        """As `job_of` reads it."""
        return json.dumps(asdict(self), ensure_ascii=False)


@dataclass(frozen=True)
class Timed:
    """One recording."""

    heard: Heard
    wall_s: float
    """Of the transcription, by the clock on the wall."""
    audio_s: float


@dataclass(frozen=True)
class CoreRun:
    """One core, all recordings."""

    system: str
    """What the core says of itself."""
    load_s: float
    """Loading the model, by the clock on the wall."""
    peak_bytes: int | None
    """Most memory that the process held; None where the system does not tell."""
    timed: tuple[Timed, ...]

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def job_of(text: str) -> Job:
    """What `Job.to_json` wrote."""
    told = json.loads(text)
    options = told["options"]
    options["vad_options"] = VadOptions(**options["vad_options"])
    return Job(told["model"], tuple(told["recordings"]), TranscribeOptions(**options))


def run_of(line: str) -> CoreRun:
    """What `CoreRun.to_json` wrote. Raises what `failure` wrote, and BadFormatError for neither."""
    try:
        told = json.loads(line)
        if "error" in told:
            raise _raised(**told["error"])
        return CoreRun(**(told | {"timed": tuple(_timed(one) for one in told["timed"])}))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        if isinstance(error, WspError):  # UsageError is a ValueError too
            raise
        raise BadFormatError(f"a run printed {line[:200]!r}", expected="a run as JSON") from error


def failure(error: WspError) -> str:
    """An error as one line, for `run_of`."""
    told = {"kind": type(error).__name__, "found": error.found}
    return json.dumps(
        {"error": told | {"expected": error.expected, "hint": error.hint}}, ensure_ascii=False
    )


def _raised(kind: str, found: str, expected: str | None, hint: str | None) -> WspError:
    known = getattr(errors, kind, None)
    named = known if isinstance(known, type) and issubclass(known, WspError) else WspError
    return named(found, expected=expected, hint=hint)


def _timed(told: dict[str, Any]) -> Timed:
    heard = told["heard"]
    segments = tuple(TimedText(**one) for one in heard["segments"])
    return Timed(
        Heard(heard["text"], tuple(heard["tokens"]), segments), told["wall_s"], told["audio_s"]
    )


def run(job: Job) -> CoreRun:
    """Loads and transcribes, in the core that the environment names."""
    from wspkit.core import Context, build_facts, load_audio  # noqa: PLC0415 - errors are told, too

    recordings = [load_audio(name) for name in job.recordings]
    start = time.perf_counter()
    with Context.load(job.model) as context:
        load_s = time.perf_counter() - start
        timed = []
        for name, audio in zip(job.recordings, recordings, strict=True):
            try:
                result = context.transcribe(audio, job.options)
            except WspError as error:
                raise error.about(name) from error
            segments = tuple(TimedText(one.start_s, one.end_s, one.text) for one in result.segments)
            tokens = tuple(
                token.id for one in result.segments for token in one.tokens if not token.special
            )
            heard = Heard(result.text, tokens, segments)
            timed.append(Timed(heard, result.stats.total_ms / 1000, result.duration_s))
    return CoreRun(build_facts().system_info, load_s, peak_memory_bytes(), tuple(timed))


def main(arguments: list[str]) -> None:
    """Runs as the file's first lines say."""
    try:
        if len(arguments) != 1:
            raise UsageError(f"arguments {arguments}", expected="the file of a job")
        line = run(job_of(Path(arguments[0]).read_text(encoding="utf-8"))).to_json()
    except WspError as error:
        line = failure(error)
    log.result(line)


if __name__ == "__main__":
    main(sys.argv[1:])
