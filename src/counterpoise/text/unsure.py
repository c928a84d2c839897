"""What the rules of the swap to other pronouns raise where they cannot tell."""


class Unsure(Exception):
    """A verb or a pronoun that cannot be told by rule; the sentence is left as it is, and counted."""
