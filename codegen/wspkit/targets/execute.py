"""Carries plans out: writes their files and hands their commands to a runner, lanes side by side,
each with a log. The only module of this package that does anything.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from wspkit.config.model import Budget, TargetName
from wspkit.errors import BudgetError, CancelledError, CommandError, NotFoundError
from wspkit.process import Runner
from wspkit.targets.plan import File, Plan, Step

_TAIL_LINES = 30
"""Lines of a log that an error repeats: the last ones say why a compiler failed."""


@dataclass(frozen=True)
class Built:
    """A library that was made."""

    target: TargetName
    lane: str
    static: Path
    static_bytes: int
    shared: Path | None
    shared_bytes: int | None
    headers: Path
    exports: Path


@dataclass
class Progress:
    """Told what happens, from several threads, one call at a time."""

    started: Callable[[str, str], object] = lambda lane, step: None  # noqa: ARG005
    """A step of a lane began."""
    advanced: Callable[[int], object] = lambda steps: None  # noqa: ARG005
    """So many steps are done, of all lanes together."""
    finished: Callable[[str, float], object] = lambda lane, seconds: None  # noqa: ARG005
    """A lane is done."""
    _lock: Lock = field(default_factory=Lock, init=False)
    _n_done: int = field(default=0, init=False)

    def start(self, lane: str, step: str) -> None:
        """Says that a step begins."""
        with self._lock:
            self.started(lane, step)

    def advance(self) -> None:
        """Says that a step is done."""
        with self._lock:
            self._n_done += 1
            self.advanced(self._n_done)

    def finish(self, lane: str, seconds: float) -> None:
        """Says that a lane is done."""
        with self._lock:
            self.finished(lane, seconds)


def n_steps(plans: Sequence[Plan]) -> int:
    """Steps of all plans together."""
    return sum(len(plan.commands) for plan in plans)


def execute(
    plans: Sequence[Plan], runner: Runner, *, logs: Path, side_by_side: int, progress: Progress
) -> None:
    """Carries plans out, as many lanes at a time as told. logs: folder of one log for each lane.

    The first failure stops all: lanes end with the step that they are at. Raises CommandError with
    the command, the end of its log and the log's path, or what the runner raises.
    """
    logs.mkdir(parents=True, exist_ok=True)
    work = _Work(runner, logs, progress)
    with ThreadPoolExecutor(max_workers=side_by_side) as pool:
        lanes = [
            pool.submit(work.run, lane.name, lane.files, lane.steps)
            for plan in plans
            for lane in plan.lanes
        ]
        try:
            wait(lanes, return_when=FIRST_EXCEPTION)
        finally:
            # Interrupted or failed: what has not begun does not begin.
            work.stop.set()
    failed = [error for one in lanes if (error := one.exception()) is not None]
    # A lane that was stopped says so; the reason is the other one's.
    for error in sorted(failed, key=lambda error: isinstance(error, CancelledError)):
        raise error
    work.stop.clear()
    for plan in plans:
        if plan.steps:
            work.run(plan.target, plan.files, plan.steps)


@dataclass(frozen=True)
class _Work:
    """What all lanes share."""

    runner: Runner
    logs: Path
    progress: Progress
    stop: Event = field(default_factory=Event)

    def run(self, name: str, files: Sequence[File], steps: Sequence[Step]) -> None:
        began = time.monotonic()
        log = self.logs / f"{name.replace('/', '-')}.log"
        log.write_text("", encoding="utf-8")
        try:
            for file in files:
                _write(file)
            for step in steps:
                self._run_step(name, step, log)
                self.progress.advance()
        except BaseException:
            self.stop.set()
            raise
        self.progress.finish(name, time.monotonic() - began)

    def _run_step(self, name: str, step: Step, log: Path) -> None:
        if self.stop.is_set():
            raise CancelledError(f"{name} was stopped, as another one failed")
        self.progress.start(name, step.title)
        if step.output is not None:
            step.output.parent.mkdir(parents=True, exist_ok=True)
        result = self.runner.run(step.command, check=False)
        said = f"{result.stdout}{result.stderr}"
        with log.open("a", encoding="utf-8") as out:
            out.write(f"$ {step.command}\n{said}\n")
        if not result.ok:
            shown = "\n".join(said.rstrip().splitlines()[-_TAIL_LINES:])
            raise CommandError(
                f"{name}, {step.title}: exit code {result.exit_code}: {step.command}\n{shown}\n",
                hint=f"The whole log is {shlex.quote(str(log))}.",
            )


def _write(file: File) -> None:
    file.path.parent.mkdir(parents=True, exist_ok=True)
    # What is as it was keeps its time: nothing is built again for it.
    if not file.path.is_file() or file.path.read_text(encoding="utf-8") != file.text:
        file.path.write_text(file.text, encoding="utf-8", newline="\n")
    if file.executable:
        file.path.chmod(0o755)


def libraries(plans: Sequence[Plan]) -> list[Built]:
    """What plans that were carried out have made. Raises NotFoundError if a library is missing."""
    return [
        Built(
            target=plan.target,
            lane=lane.name,
            static=lane.static,
            static_bytes=_size(lane.static),
            shared=lane.shared,
            shared_bytes=_size(lane.shared) if lane.shared else None,
            headers=lane.headers,
            exports=lane.exports,
        )
        for plan in plans
        for lane in plan.lanes
    ]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        raise NotFoundError(
            f"{path} was not made",
            expected="a CMake project whose library is called 'speech'",
            hint="Is --source the folder of the core?",
        ) from None


def check_budget(built: Sequence[Built], budget: Budget) -> None:
    """BudgetError, naming each, if shared libraries are larger than wsp.toml allows."""
    limits = budget.library_bytes
    beyond = [
        f"{one.shared} has {one.shared_bytes:,} bytes, budget.library_bytes.{one.target} in "
        f"wsp.toml allows {limits[one.target]:,}"
        for one in built
        if one.shared_bytes is not None
        and one.shared_bytes > limits.get(one.target, one.shared_bytes)
    ]
    if beyond:
        raise BudgetError(
            "; ".join(beyond), hint="See what grew with `nm --size-sort`, or raise the limit."
        )
