"""From the API description to the files generated from it: view dataclasses, templates, one
registry, one writer.

`wsp generate` is its command; `python -m wspkit.bridge` is the same before anything is built. It
must not know what the options do, only how each language writes them down.
"""
