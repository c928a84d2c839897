"""Log probability bias scores: how much likelier a person word is beside a profession or attribute."""
