"""The command `wsp`: reads options, calls the packages below, shows what comes of it."""
