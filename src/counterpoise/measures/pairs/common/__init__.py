"""Shared by the measures of sentence pairs."""
