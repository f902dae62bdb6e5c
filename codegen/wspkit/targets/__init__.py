"""How the core is built for each target: settings become a Conan profile and commands, as data. It
must not know who runs them.
"""
