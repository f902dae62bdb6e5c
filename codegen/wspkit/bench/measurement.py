"""What one run of one subject gives, as data that crosses a pipe. Must not know any subject."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from wspkit.errors import BadFormatError


@dataclass(frozen=True)
class Measurement:
    """One transcription, the second of its process; loading and the first one do not count."""

    wall_s: float
    """By the clock on the wall."""
    cpu_s: float
    """Of all threads together."""
    peak_bytes: int
    """Most memory that the process held, loading included."""
    text: str
    """What was heard, so that a fast run with wrong words shows."""
    phases_ms: dict[str, float] = field(default_factory=dict)
    """Where the time went, if the subject tells."""

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), ensure_ascii=False)


def from_json(line: str) -> Measurement:
    """BadFormatError if the line is not what `to_json` writes."""
    try:
        return Measurement(**json.loads(line))
    except (ValueError, TypeError) as error:
        raise BadFormatError(
            f"a benchmark run printed {line[:200]!r}", expected="its measurement as JSON"
        ) from error
