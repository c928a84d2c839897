"""A model in, a fairer model out."""
