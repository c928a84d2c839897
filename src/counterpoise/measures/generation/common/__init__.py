"""Shared by the measures of generation."""
