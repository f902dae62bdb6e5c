"""Source trees under a prefix: lexer, collection of names, rename map, rewriting, profiles."""
