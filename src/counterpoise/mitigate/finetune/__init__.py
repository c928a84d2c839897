"""Debiasing of language models by fine-tuning on gender-swapped text."""
