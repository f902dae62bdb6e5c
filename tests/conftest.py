"""What every test may use: the tiers, and fixtures of real models and real speech."""

import signal

pytest_plugins = ("tests.tiers", "tests.model_files")

# A shell that runs the tests in its background has Ctrl-C ignored, and programs that tests start
# would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
