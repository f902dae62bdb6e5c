"""Makes a tree of sources of another: fetch, select, patch, prefix, and write it as a whole with a
record of what was done. It knows no single project and no release.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import wspkit
from wspkit.errors import BadFormatError, NotFoundError, StaleError, UsageError
from wspkit.prefix.profile import load_profile
from wspkit.prefix.tree import prefix_files
from wspkit.upstream import build_file, patch
from wspkit.upstream.lock import (
    NAME,
    Lock,
    LockedPatch,
    LockedProfile,
    LockedSource,
    read_lock,
    sha256,
)
from wspkit.upstream.manifest import Manifest, Selection, select
from wspkit.upstream.metal_library import embedded_kernels
from wspkit.upstream.source import Access, Upstream, open_source, sha256_of_tree, source_directory

DEFAULT_PREFIX = "wsp_"


@dataclass(frozen=True)
class Request:
    """What a synced tree shall be."""

    source: str
    prefix: str | None = DEFAULT_PREFIX
    """None leaves upstream's names."""
    profile: str | None = None
    """A name or a file; None is "strict" for our own core and "compat" for others."""
    optional_groups: tuple[str, ...] = ()

    @classmethod
    def of_lock(cls, lock: Lock) -> Request:
        """What was asked for when the lock was written."""
        return cls(
            lock.source.asked,
            lock.prefix,
            lock.profile.name if lock.profile else None,
            lock.optional_groups,
        )

    @property
    def profile_name(self) -> str:
        """The profile that is meant."""
        return self.profile or ("strict" if self.source == "self" else "compat")


@dataclass(frozen=True)
class Assembly:
    """A synced tree in memory."""

    files: Mapping[str, bytes]
    """By path, the lock among them."""
    lock: Lock
    selection: Selection


@dataclass(frozen=True)
class Difference:
    """A file of a synced tree that is not what it should be."""

    path: str
    state: str
    """edited, missing or foreign: the tree is not what its lock says; changed, new or gone: the
    source, or wsp, now gives another.
    """


def assemble(request: Request, access: Access) -> Assembly:
    """The tree that a request asks for; nothing is written.

    Errors: what `open_source`, `select`, `patch.apply` and `prefix_files` raise.
    """
    upstream = open_source(request.source, access)
    selection = select(upstream.manifest, upstream.files, request.optional_groups)
    originals = {one.path: upstream.files[one.path] for one in selection.taken}
    patched, applied = patch.apply(patch.patches(), originals)
    tree_sha256 = sha256_of_tree(originals)
    kernels = (
        {}
        if upstream.manifest.own_build
        else embedded_kernels(patched, upstream.manifest.include_folders)
    )
    whole = patched | {one.path: text for one, text in kernels.items()}
    names: Mapping[str, str] = {}
    paths: Mapping[str, str] = {}
    profile = None
    if request.prefix is not None:
        profile = load_profile(request.profile_name)
        prefixed = prefix_files(whole, prefix=request.prefix, profile=profile)
        whole, names, paths = dict(prefixed.files), prefixed.names, prefixed.paths
    if not upstream.manifest.own_build:
        whole[build_file.PATH] = build_file.build_file(
            upstream.manifest,
            selection.taken,
            mentioned=_mentioned(patched.values()),
            facts=_facts(upstream, tree_sha256),
            embedded=list(kernels),
            prefix=request.prefix or "",
            names=build_file.Names(
                lambda name: names.get(name, name), lambda path: paths.get(path, path)
            ),
        ).encode()
    lock = Lock(
        tool=wspkit.__version__,
        source=LockedSource(
            asked=request.source,
            project=upstream.manifest.project,
            version=upstream.version,
            root=upstream.root,
            archive_sha256=upstream.archive_sha256,
            tree_sha256=tree_sha256,
        ),
        optional_groups=tuple(sorted(request.optional_groups)),
        prefix=request.prefix,
        profile=LockedProfile(name=request.profile_name, sha256=profile.digest)
        if profile
        else None,
        patches=tuple(_locked(one) for one in applied),
        unknown=selection.unknown,
        files={path: sha256(whole[path]) for path in sorted(whole)},
        names=dict(sorted(names.items())),
        paths=dict(sorted(paths.items())),
    )
    return Assembly({**whole, NAME: lock.text().encode()}, lock, selection)


def _mentioned(contents: Iterable[bytes]) -> frozenset[str]:
    """Every word of the sources in capitals: a macro that none of them asks for need not be set."""
    return frozenset(
        word.decode()
        for content in contents
        for word in re.findall(rb"\b_?[A-Z][A-Z0-9_]+\b", content)
    )


def _facts(upstream: Upstream, tree_sha256: str) -> dict[str, str]:
    return {
        "version": upstream.version,
        "tree": tree_sha256[:12],
        **_versions(upstream.manifest, upstream.files),
    }


def _versions(manifest: Manifest, files: Mapping[str, bytes]) -> dict[str, str]:
    found = {}
    for rule in manifest.version:
        text = files[rule.file].decode("utf-8", "replace") if rule.file in files else ""
        match = re.search(rule.pattern, text)
        found[rule.name] = ".".join(match.groups()) if match else rule.otherwise
    return found


def _locked(applied: patch.Applied) -> LockedPatch:
    return LockedPatch(
        name=applied.patch.name,
        reason=" ".join(applied.patch.reason.split()),
        sha256=applied.patch.sha256,
        paths=applied.paths,
    )


def refuse_destination(destination: Path, request: Request, access: Access) -> None:
    """Errors: UsageError for a place that a synced tree must not be written to: a folder with files
    that no sync wrote, one inside the source, or one around it.
    """
    directory = source_directory(request.source, access)
    if directory is not None:
        source, target = directory.resolve(), destination.resolve()
        if target == source or source in target.parents or target in source.parents:
            raise UsageError(
                f"{destination} and the source {directory} lie in each other",
                expected="a destination beside the source",
            )
    if destination.exists() and not destination.is_dir():
        raise UsageError(f"{destination} is a file", expected="a directory to write")
    if destination.is_dir() and any(destination.iterdir()) and read_lock(destination) is None:
        raise UsageError(
            f"{destination} holds files that `wsp sync` did not write",
            expected="a synced tree, an empty directory or none",
            hint="The destination is replaced as a whole: choose another, or remove it yourself.",
        )


def locked(destination: Path) -> Lock:
    """The lock of a synced tree. Errors: NotFoundError if there is none; those of `read_lock`."""
    lock = read_lock(destination)
    if lock is None:
        raise NotFoundError(
            f"{destination} is no synced tree: there is no {NAME} in it",
            hint="Say with --from where the sources come from.",
        )
    return lock


def differences(destination: Path, lock: Lock, fresh: Assembly) -> list[Difference]:
    """How a tree differs from its lock, and its lock from what a sync would write now; sorted."""
    found = {path: "foreign" for path in _paths(destination) if path not in lock.files}
    for path, expected in lock.files.items():
        file = destination / path
        if not file.is_file():
            found[path] = "missing"
        elif sha256(file.read_bytes()) != expected:
            found[path] = "edited"
        elif path not in fresh.lock.files:
            found[path] = "gone"
        elif fresh.lock.files[path] != expected:
            found[path] = "changed"
    for path in fresh.lock.files:
        if path not in lock.files:
            found[path] = "new"
    if not found and _decided(lock) != _decided(fresh.lock):
        found[NAME] = "changed"
    return [Difference(path, found[path]) for path in sorted(found)]


def _decided(lock: Lock) -> Lock:
    # Another version of wsp that gives the same tree makes no tree stale.
    return lock.model_copy(update={"tool": ""})


def _paths(directory: Path) -> Iterable[str]:
    for path in directory.rglob("*"):
        relative = path.relative_to(directory).as_posix()
        if path.is_file() and relative != NAME:
            yield relative


def raise_if_republished(lock: Lock, fresh: Lock) -> None:
    """Errors: BadFormatError if the release that was locked is now another archive."""
    before, now = lock.source, fresh.source
    if before.asked == now.asked and before.archive_sha256 != now.archive_sha256:
        raise BadFormatError(
            f"{now.asked} is another archive than the lock says: {now.archive_sha256} (sha256)",
            expected=str(before.archive_sha256),
            hint="A release never changes: find out who replaced it before you remove the lock.",
        )


def raise_if_stale(destination: Path, found: list[Difference]) -> None:
    """Errors: StaleError that names the files."""
    if not found:
        return
    shown = ", ".join(f"{one.path} ({one.state})" for one in found[:5])
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    raise StaleError(
        f"{destination} is stale: {shown}{more}",
        hint=f"Run `wsp sync {destination}` and commit what it writes.",
    )
