"""Gender in text: by counts (`counting`), and by what a language model learns from it (`learning`)."""

from counterpoise.corpus.counting.compare import compare_corpora
from counterpoise.corpus.counting.gender_counts import measure_corpus
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.corpus.learning.experiment import LearningSettings
from counterpoise.corpus.learning.learned_bias import LearnedBias, learned_bias

__all__ = [
    "CorpusWords",
    "LearnedBias",
    "LearningSettings",
    "compare_corpora",
    "learned_bias",
    "measure_corpus",
]
