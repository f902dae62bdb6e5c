"""What every test may use: the tiers, and fixtures of real models and real speech."""

pytest_plugins = ("tests.tiers", "tests.model_files")
