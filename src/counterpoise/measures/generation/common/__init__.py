"""Shared by the measures of answers."""
