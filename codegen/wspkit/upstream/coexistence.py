"""Copies of a core in one program: links all of every copy, lets each transcribe, and gives what
each heard. It knows whisper.h and no single release of whisper.cpp.
"""

from __future__ import annotations

import array
import json
import re
import sys
import wave
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from wspkit.errors import BadFormatError, CollisionError, CommandError, NotFoundError, UsageError
from wspkit.process import Command
from wspkit.upstream.built import Compiling, compiler

_API = re.compile(r"\b(?:whisper|WHISPER)_\w+")
_RATE_HZ = 16_000
_TIMEOUT_S = 1200.0


@dataclass(frozen=True)
class Copy:
    """A tree that takes part."""

    title: str
    source: Path
    header: str
    """The public header, by its path in the tree."""
    libraries: Sequence[Path]
    """What it was compiled to."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What each name of upstream is called in it."""


@dataclass(frozen=True)
class Heard:
    """What one copy transcribed while the others were loaded."""

    title: str
    text: str


def transcribe_together(
    copies: Sequence[Copy], model: Path, audio: Path, build: Path, compiling: Compiling
) -> list[Heard]:
    """Builds a program of all copies; each loads the model before the first begins.

    audio: a WAV file, 16 kHz, mono, 16 bit. build: a folder for what is compiled.
    Errors: CommandError if something does not compile or the program fails; CollisionError, with
    the linker's words, if two copies define the same name.
    """
    if len(copies) < 2:
        raise UsageError("one copy is alone in its program", expected="at least two")
    samples = build / "samples.f32"
    build.mkdir(parents=True, exist_ok=True)
    samples.write_bytes(_samples(audio))
    objects = [_probe(number, copy, build, compiling) for number, copy in enumerate(copies)]
    program = _linked(copies, objects, build, compiling)
    done = compiling.runner.run(
        Command((str(program), str(model), str(samples)), timeout_s=_TIMEOUT_S)
    )
    texts = [json.loads(line) for line in done.stdout.splitlines()]
    return [
        Heard(copy.title, " ".join(text.split())) for copy, text in zip(copies, texts, strict=True)
    ]


def _probe(number: int, copy: Copy, build: Path, compiling: Compiling) -> Path:
    """The object through which the program calls one copy, by that copy's names."""
    text = resources.files("wspkit.upstream").joinpath("probe.c").read_text(encoding="utf-8")
    text = _API.sub(lambda match: copy.names.get(match[0], match[0]), text)
    source = build / f"probe{number}.c"
    source.write_text(text.replace("NUMBER", str(number)), encoding="utf-8")
    header = copy.source / copy.header
    if not header.is_file():
        raise NotFoundError(f"there is no {copy.header} in {copy.source}")
    folders = [header.parent, copy.source / "ggml" / "include"]
    target = source.with_suffix(".o")
    compiling.runner.run(
        Command.of(
            compiler("C"),
            "-c",
            *(f"-I{folder}" for folder in folders if folder.is_dir()),
            f'-DPUBLIC_HEADER="{header.name}"',
            source,
            "-o",
            target,
        )
    )
    return target


def _linked(
    copies: Sequence[Copy], objects: Sequence[Path], build: Path, compiling: Compiling
) -> Path:
    numbers = range(len(copies))
    lines = [
        *(f"int probe_open_{n}(const char *);" for n in numbers),
        *(f"int probe_transcribe_{n}(const char *);" for n in numbers),
        "int main(int count, char ** words) {",
        "  if (count != 3) return 2;",
        *(f"  if (probe_open_{n}(words[1])) return {10 + n};" for n in numbers),
        *(f"  if (probe_transcribe_{n}(words[2])) return {20 + n};" for n in numbers),
        "  return 0;",
        "}",
    ]
    main, program = build / "together.c", build / "together"
    main.write_text("\n".join(lines) + "\n", encoding="utf-8")
    main_object = main.with_suffix(".o")
    compiling.runner.run(Command.of(compiler("C"), "-c", main, "-o", main_object))
    archives = [archive for copy in copies for archive in copy.libraries]
    # All objects of every copy, also those that nothing calls: a name defined twice ends the link.
    whole = (
        [f"-Wl,-force_load,{archive}" for archive in archives]
        if sys.platform == "darwin"
        else ["-Wl,--whole-archive", *map(str, archives), "-Wl,--no-whole-archive"]
    )
    command = Command.of(
        compiler("CXX"),
        main_object,
        *objects,
        *whole,
        *(
            ["-framework", "Accelerate"]
            if sys.platform == "darwin"
            else ["-lpthread", "-ldl", "-lm"]
        ),
        "-o",
        program,
    )
    try:
        compiling.runner.run(command)
    except CommandError as error:
        raise CollisionError(
            f"{' and '.join(copy.title for copy in copies)} do not link into one program: "
            f"{error.found}",
            expected="no name that two of them define",
        ) from error
    return program


def _samples(audio: Path) -> bytes:
    """A WAV file's samples as 32-bit floats in [-1, 1], as whisper_full takes them."""
    try:
        with wave.open(str(audio), "rb") as file:
            shape = (file.getframerate(), file.getnchannels(), file.getsampwidth())
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise BadFormatError(f"{audio}: {error}", expected="a WAV file") from error
    except FileNotFoundError as error:
        raise NotFoundError(f"there is no file {audio}") from error
    if shape != (_RATE_HZ, 1, 2):
        raise BadFormatError(
            f"{audio}: {shape[0]} Hz, {shape[1]} channels, {8 * shape[2]} bit",
            expected="16000 Hz, mono, 16 bit",
        )
    numbers = array.array("h", frames)
    if sys.byteorder == "big":
        numbers.byteswap()
    return array.array("f", (number / 32768 for number in numbers)).tobytes()
