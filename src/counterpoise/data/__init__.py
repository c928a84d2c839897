"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.becpro import becpro
from counterpoise.data.contexts import Corpus
from counterpoise.data.gender_words import GenderWords, gender_words, read_gender_words
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.seat import seat_sentences
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.templates import Templates, read_templates, tbd
from counterpoise.data.wordsets import WordTest, WordTests, read_word_sets, translate, weat

__all__ = [
    "Corpus",
    "GenderWords",
    "Pairs",
    "Templates",
    "WordTest",
    "WordTests",
    "becpro",
    "citation",
    "gender_words",
    "read_gender_words",
    "read_pairs",
    "read_spec",
    "read_templates",
    "read_word_sets",
    "seat_sentences",
    "spec_names",
    "tbd",
    "tgb",
    "translate",
    "weat",
]
