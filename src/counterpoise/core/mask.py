"""What a text says in place of a word that is hidden; a model puts its own mask there."""

MASK = "[MASK]"
