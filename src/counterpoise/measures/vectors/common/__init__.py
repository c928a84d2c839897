"""Shared by the measures of word vectors."""
