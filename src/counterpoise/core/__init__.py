"""Errors, progress, files written aside and renamed, hashes, the cache of scored questions. Knows nothing of bias."""
