"""Contextual vectors: association tests on the vectors of words and sentences."""
