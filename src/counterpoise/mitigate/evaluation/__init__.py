"""What debiasing gained and what it broke: scores of models before and after, compared."""
