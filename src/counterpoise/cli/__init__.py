"""The commands, one file each; thin, and quick to import: what is heavy is imported inside the functions."""
