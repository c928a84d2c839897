"""Arrays in, numbers out: tests, intervals, effect sizes, corrections, power. Knows nothing of language."""
