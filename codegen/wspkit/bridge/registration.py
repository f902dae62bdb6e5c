"""How the platforms find the native module: by the global map on iOS, by autolinking on Android.

A C++ TurboModule needs no Java: React Native's Gradle plugin writes the line that makes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from wspkit.bridge.text import c_string
from wspkit.spec.model import Api


@dataclass(frozen=True)
class RegistrationView:
    """What both files need."""

    module: str
    """Name of the module."""
    quoted: str
    """The same as a C string."""
    header_class: str
    """Name of the class that autolinking makes, and of its header."""


def registration(api: Api) -> RegistrationView:
    """The view of the registration."""
    module = api.contract.module
    return RegistrationView(module, c_string(module), f"Native{module}")
