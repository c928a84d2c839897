"""Shared by the measures of contextual vectors."""
