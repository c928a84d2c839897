"""Rules about the numbers of a run, each of which passes, fails, or cannot be decided with the items at hand."""
