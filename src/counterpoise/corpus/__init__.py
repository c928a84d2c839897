"""Gender in text: by counts (`counting`), by what a language model learns from it (`learning`), and in context."""

from counterpoise.corpus.concordance import Concordance, ConcordanceLine, concordance
from counterpoise.corpus.counting.compare import compare_corpora
from counterpoise.corpus.counting.gender_counts import measure_corpus
from counterpoise.corpus.counting.words import CorpusWords
from counterpoise.corpus.learning.experiment import LearningSettings
from counterpoise.corpus.learning.learned_bias import LearnedBias, learned_bias

__all__ = [
    "Concordance",
    "ConcordanceLine",
    "CorpusWords",
    "LearnedBias",
    "LearningSettings",
    "compare_corpora",
    "concordance",
    "learned_bias",
    "measure_corpus",
]
