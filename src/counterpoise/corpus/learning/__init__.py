"""Gender in a corpus, by what a language model learns from it."""
