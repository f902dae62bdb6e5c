"""The public API, once: `api.toml`, its model, reader and checks. It must not know what is
generated from it.

This file imports nothing, so that `wspkit.spec.option`, which ships with the options, does not pull
pydantic in.
"""
