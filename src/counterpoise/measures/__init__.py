"""One file per measure; a measure is a function from a model and data to a Result."""
