"""Barza (2023): sentence pairs, pronouns of professions, and what swapped text does to both."""
