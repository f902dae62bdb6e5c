"""The one Jinja environment. It fills a template from its view dataclass and knows nothing of
either.

A template's first line is a comment that names its view, so that a reader finds the values without
a search; the name is checked here. Undefined names are errors, nothing is escaped, line ends are
LF.
"""

from __future__ import annotations

from pathlib import Path

import jinja2

from wspkit.errors import InternalError

TEMPLATES = Path(__file__).parents[1] / "templates"
"""Where the templates of this package are."""


def render(
    template: str, view: object, *, templates: Path = TEMPLATES, command: str = "wsp generate"
) -> str:
    """The text that a template gives for a view; ends in one newline.

    template: path below `templates`, with forward slashes; command: what makes the text again. The
    template sees `view` and `mark`, the words that say where the text comes from. Raises
    InternalError if the template names another view, or a value that is not there.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates, encoding="utf-8"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        newline_sequence="\n",
        autoescape=False,  # noqa: S701  the outputs are source code, not HTML
    )
    kind = type(view)
    expected = f"{{# view: {kind.__module__}.{kind.__qualname__} #}}"
    try:
        source = (templates / template).read_text(encoding="utf-8")
        first = source.partition("\n")[0]
        if first != expected:
            raise InternalError(
                f"template {template} begins with {first!r}", expected=repr(expected)
            )
        return environment.get_template(template).render(view=view, mark=mark(template, command))
    except (OSError, jinja2.TemplateError) as error:
        raise InternalError(f"template {template} cannot be rendered: {error}") from error


def mark(template: str, command: str = "wsp generate") -> str:
    """The words in the first line of every output: that it is generated, from what, and by which
    command.
    """
    return f"Generated from templates/{template} by `{command}`; do not edit."
