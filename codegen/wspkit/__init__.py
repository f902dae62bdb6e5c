"""wspkit: the build kit around the speech core, and the `wsp` command. Importing it loads nothing
else.
"""

__version__ = "0.1.0"
