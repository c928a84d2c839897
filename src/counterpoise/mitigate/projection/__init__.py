"""Debiasing of vectors: how a direction is found, what is done to it, and where it is applied."""
