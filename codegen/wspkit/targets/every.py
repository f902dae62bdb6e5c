"""All targets, once: which function plans which."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import get_args

from wspkit.config.model import TargetName
from wspkit.targets.android import plan_android
from wspkit.targets.core import Request
from wspkit.targets.ios import plan_ios
from wspkit.targets.linux import plan_linux
from wspkit.targets.plan import Plan
from wspkit.targets.search import Search
from wspkit.targets.wasm import plan_wasm

NAMES: tuple[TargetName, ...] = get_args(TargetName)

_PLANNERS: dict[TargetName, Callable[[Request, Search], Plan]] = {
    "linux-x86_64": partial(plan_linux, "linux-x86_64"),
    "linux-aarch64": partial(plan_linux, "linux-aarch64"),
    "linux-armhf": partial(plan_linux, "linux-armhf"),
    "wasm": plan_wasm,
    "android": plan_android,
    "ios": plan_ios,
}


def plan_target(name: TargetName, request: Request, search: Search) -> Plan:
    """The plan of a target. Raises NotFoundError or UnsupportedError about its tools, unless they
    are assumed.
    """
    return _PLANNERS[name](request, search)
