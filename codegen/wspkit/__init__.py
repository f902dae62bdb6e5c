"""wspkit: the build kit around the speech core, and the `wsp` command. Importing it loads nothing
else.
"""

import logging

# A library leaves stderr to its program: without this, Python prints what the core logs of an error
# that is raised as well.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__version__ = "0.1.0"
