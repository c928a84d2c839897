"""What a model writes: answers to questions, decisions, completions."""
