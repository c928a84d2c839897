"""Data that users bring: files to measure on, texts to rate, sentences in which words occur."""
