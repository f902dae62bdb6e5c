"""What a tree is built and packed into: wsp.toml, its model and reader. It must not know how."""
