"""What is measured: masked and causal language models, encoders, word vectors, classifiers; the built-in model."""
