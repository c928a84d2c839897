"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.becpro import becpro, becpro_both_forms
from counterpoise.data.eec import eec
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.templates import Templates, read_templates, tbd
from counterpoise.data.workforce import workforce

__all__ = [
    "Pairs",
    "Templates",
    "becpro",
    "becpro_both_forms",
    "citation",
    "eec",
    "read_pairs",
    "read_spec",
    "read_templates",
    "spec_names",
    "tbd",
    "tgb",
    "workforce",
]
