"""What one run of one subject gives, as data that crosses a pipe. Must not know any subject."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from wspkit.errors import BadFormatError

#: Parts of a transcription, in the order in which they come. `batched` is a step of five sequences.
PHASES = ("mel", "encode", "prompt", "decode", "batched")


@dataclass(frozen=True)
class Spent:
    """What one call of a phase took."""

    wall_ms: float
    """By the clock on the wall."""
    cpu_ms: float | None
    """Of all threads together; None for `batched`, which the core itself times by the wall."""


@dataclass(frozen=True)
class Measurement:
    """One run: the model loaded and one recording transcribed, without the start of the process."""

    wall_s: float
    """Loading and transcription, by the clock on the wall."""
    cpu_s: float
    """The same, of all threads together."""
    load_s: float
    """Of loading alone, by the clock on the wall."""
    peak_bytes: int
    """Most memory that the process held until then, without the samples."""
    audio_s: float
    """Length of the recording."""
    text: str
    """What was heard, so that a fast run with wrong words shows."""
    system: str = ""
    """What the subject says that it computes with."""
    read_s: float | None = None
    """Reading the model's file once, out of the system's cache; None where it is not measured."""
    phases: dict[str, Spent] = field(default_factory=dict)
    """One call of each phase, measured after the run, if the subject can be asked for them."""

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def from_json(line: str) -> Measurement:
    """BadFormatError if the line is not what `to_json` writes."""
    try:
        found = json.loads(line)
        phases = {name: Spent(**spent) for name, spent in found.pop("phases", {}).items()}
        return Measurement(**found, phases=phases)
    except (ValueError, TypeError, AttributeError) as error:
        raise BadFormatError(
            f"a benchmark run printed {line[:200]!r}", expected="its measurement as JSON"
        ) from error
