"""The explorer that `counterpoise serve` starts."""
