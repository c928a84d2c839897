"""The scoring engine: batches, positions, and only those parts of a model that a question needs."""
