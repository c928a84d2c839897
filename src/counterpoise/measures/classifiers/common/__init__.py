"""Shared by the measures of classifiers."""
