"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.becpro import becpro
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.templates import Templates, read_templates, tbd
from counterpoise.data.wordsets import WordTest, WordTests, read_word_sets, translate, weat

__all__ = [
    "Pairs",
    "Templates",
    "WordTest",
    "WordTests",
    "becpro",
    "citation",
    "read_pairs",
    "read_spec",
    "read_templates",
    "read_word_sets",
    "spec_names",
    "tbd",
    "tgb",
    "translate",
    "weat",
]
