"""`wsp vad`: where somebody speaks in a recording. The work is in `wspkit.core.vad`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wspkit import log
from wspkit.cli.generated.vad_options import with_vad_options
from wspkit.cli.inputs import STDIN, load_recording, model_file
from wspkit.cli.several import FilesJob
from wspkit.core.generated.options import VadOptions
from wspkit.errors import UsageError

if TYPE_CHECKING:
    from wspkit.core import SpeechSegment, Vad


@with_vad_options
def vad(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE", help="WAV files; - reads one from standard input."),
    ],
    *,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            envvar="WSPKIT_VAD_MODEL",
            metavar="NAME|PATH",
            help="A voice activity model: a name from `wsp model list`, or a ggml .bin file.",
        ),
    ] = "silero-vad",
    json: Annotated[
        bool, typer.Option("--json", help="JSON instead of a table; errors are JSON as well.")
    ] = False,
    windows: Annotated[
        bool,
        typer.Option("--windows", help="With --json: the probability of each window of 32 ms too."),
    ] = False,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch/--no-fetch", help="Fetch a model of the catalogue that is not here yet."
        ),
    ] = True,
    options: VadOptions,
) -> None:
    """Show where somebody speaks in recordings.

    One line per stretch of speech, with times in seconds. Several files are worked through even if
    one fails; the exit code is then the highest of theirs.

    For example:

    $ wsp vad meeting.wav

    $ wsp vad --threshold 0.3 --min-silence-ms 2000 a.wav b.wav

    $ wsp vad --json - < meeting.wav
    """
    if json:
        log.configure(verbosity=log.settings().verbosity, json_mode=True)
    if files.count(STDIN) > 1:
        raise UsageError("standard input is named twice", expected="once")
    if windows and not json:
        raise UsageError("--windows without --json", expected="both, or neither")
    from wspkit.core import Vad  # noqa: PLC0415 - the native module, not for --help

    with Vad.load(model_file(model, fetch=fetch)) as loaded:
        job = _Job(
            vad=loaded,
            options=options,
            as_json=json,
            with_windows=windows,
            several=len(files) > 1,
        )
        job.run(files)


@dataclass(kw_only=True)
class _Job(FilesJob):
    """What is the same for all files of one call."""

    vad: Vad
    options: VadOptions
    with_windows: bool

    def listen(self, source: str) -> None:
        audio = load_recording(source)
        segments = self.vad.segments(audio, self.options)
        speech_s = sum(segment.duration_s for segment in segments)
        if not self.as_json:
            log.table(
                [log.Column(title, right=True) for title in ("", "start", "end", "length")],
                [_row(i, segment) for i, segment in enumerate(segments, 1)],
                title=source if self.several else None,
            )
            share = f", {speech_s / audio.duration_s:.0%}" if audio.duration_s else ""
            log.status(f"{speech_s:.2f} s of speech in {audio.duration_s:.2f} s{share}")
            return
        document: dict[str, Any] = {
            "file": source,
            "model": self.vad.name,
            "duration_s": round(audio.duration_s, 5),
            "speech_s": round(speech_s, 5),
            "segments": [
                {"start_s": segment.start_s, "end_s": segment.end_s} for segment in segments
            ],
        }
        if self.with_windows:
            document["window_s"] = 0.032
            document["probabilities"] = [
                round(float(one), 6) for one in self.vad.probabilities(audio)
            ]
        self.documents.append(document)


def _row(number: int, segment: SpeechSegment) -> list[str]:
    times = (segment.start_s, segment.end_s, segment.duration_s)
    return [str(number), *(f"{seconds:.2f} s" for seconds in times)]
