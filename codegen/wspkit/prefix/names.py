"""How a prefix is put in front of a name, whatever the name is for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wspkit.errors import UsageError

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True)
class Prefix:
    """The prefix in the three shapes that names have."""

    text: str

    def __post_init__(self) -> None:
        if not _IDENTIFIER.fullmatch(self.text):
            raise UsageError(
                f"the prefix is {self.text!r}", expected="an identifier of C, like wsp_"
            )

    def before(self, name: str) -> str:
        """What is put in front: wsp_ggml_init, WSP_GGML_MAX_DIMS, WSPGGMLMetalClass."""
        if not name[0].isupper():
            return self.text
        upper = self.text.upper()
        camel = "_" not in name and not name.isupper()
        return (upper.rstrip("_") or upper) if camel else upper

    def of(self, name: str) -> str:
        """The name under the prefix."""
        return self.before(name) + name

    def has(self, name: str) -> bool:
        """Whether the name begins with the prefix."""
        before = self.before(name)
        return name.startswith(before) and len(name) > len(before)
