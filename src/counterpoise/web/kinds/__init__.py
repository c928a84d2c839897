"""The kinds of runs that the explorer lists: how each is recognised, what the list says of it, and its page."""
