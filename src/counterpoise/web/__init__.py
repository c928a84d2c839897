"""The explorer that `counterpoise serve` starts: runs, their items, comparisons, Probe and Swap in a browser."""
