"""Words in, words out: terms, names, pronouns, swap, augment. Knows no model."""
