"""One command over several files: each is worked through even if another fails. It must not know
what is done with a file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from wspkit import log
from wspkit.cli.inputs import error_document, print_documents
from wspkit.errors import CancelledError, WspError


@dataclass(kw_only=True)
class FilesJob(ABC):
    """What is the same for all files of one call, for commands that print a table or JSON."""

    as_json: bool
    several: bool
    documents: list[dict[str, Any]] = field(default_factory=list, init=False)

    @abstractmethod
    def listen(self, source: str) -> None:
        """Works on one file: prints its table, or adds its document."""

    def run(self, files: Sequence[str]) -> None:
        """All files, then JSON: one document for one file, a list for several.

        Only cancellation is passed on. Exits as `exit_with` does.
        """
        try:
            codes = [self._run_one(source) for source in files]
        finally:
            if self.as_json:
                print_documents(self.documents, several=self.several)
        exit_with(codes)

    def _run_one(self, source: str) -> int:
        try:
            self.listen(source)
        except CancelledError:
            raise
        except WspError as error:
            log.failure(error.about(source) if self.several else error)
            self.documents.append(error_document(source, error))
            return error.exit_code
        return 0


def exit_with(codes: Sequence[int]) -> None:
    """Ends a command over several files: with the highest exit code of theirs, if one failed."""
    failed = [code for code in codes if code]
    if len(codes) > 1 and failed:
        log.status(f"{len(failed)} of {len(codes)} files failed.")
    if failed:
        raise typer.Exit(max(failed))
