"""Fine-tuning of masked language models and classifiers, with exact resume."""
