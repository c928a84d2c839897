"""Shared by the measures of pronouns."""
