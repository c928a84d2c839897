"""Errors, progress bars, atomic files, locks, hashing, downloads and the score cache. Knows nothing about bias."""
