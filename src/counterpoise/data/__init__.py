"""What is measured on: specs (templates, words, citation, licence, version) and the loaders that read them."""
