"""A model against a suite of measures; the run folder."""
