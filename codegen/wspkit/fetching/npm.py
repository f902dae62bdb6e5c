"""Brings the archive of a package of npm's registry to a directory; installs and runs nothing of
it.

npm itself fetches: it knows the user's registry, proxy, certificates and credentials, and checks
what arrives against the registry's checksum.
"""

from __future__ import annotations

import json
from pathlib import Path

from wspkit.errors import CommandError, NetworkError, NotFoundError
from wspkit.fetching.cache import writing_to
from wspkit.process import Command, Runner

_TIMEOUT_S = 600.0


def npm_archive(name: str, version: str, directory: Path, *, runner: Runner) -> Path:
    """The .tgz of a release, put into `directory`.

    Errors: NotFoundError if npm is not there or the registry has no such release; NetworkError with
    what npm said if the registry cannot be reached.
    """
    release = f"{name}@{version}"
    command = Command(
        (
            *("npm", "pack", release, "--ignore-scripts", "--json", "--loglevel=error"),
            *("--pack-destination", str(directory)),
        ),
        # Where a project of the user stands, npm would read its settings, and perhaps its packages.
        cwd=directory,
        timeout_s=_TIMEOUT_S,
    )
    with writing_to(directory):
        directory.mkdir(parents=True, exist_ok=True)
    try:
        said = runner.run(command).stdout
    except NotFoundError as error:
        raise NotFoundError(
            f"npm is not there, which fetches {release}", hint="Install Node.js with npm."
        ) from error
    except CommandError as error:
        if "E404" in error.found or "ETARGET" in error.found:
            raise NotFoundError(
                f"npm's registry has no {release}", hint=f"`npm view {name} versions` shows some."
            ) from error
        raise NetworkError(
            f"npm could not fetch {release}: {error.found}",
            hint="Check the network and `npm config list`.",
        ) from error
    return directory / _file_of(said, release)


def _file_of(said: str, release: str) -> str:
    """The name of the archive out of what `npm pack --json` prints, in the forms of npm 8 to 11."""
    try:
        (packed,) = json.loads(said[said.index("[") :])
        name = str(packed["filename"])
    except (ValueError, KeyError, TypeError) as error:
        raise NetworkError(
            f"npm packed {release} and said {said.strip()[:200]!r}",
            expected="a JSON list with the name of one file",
        ) from error
    # npm 8 names a scoped package's file with the slash of its scope.
    return name.lstrip("@").replace("/", "-")
