"""Results in, pages out."""
