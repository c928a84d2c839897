"""Kurita et al. (2019), Measuring Bias in Contextualized Word Representations: tables 3 to 6 and section 4."""
