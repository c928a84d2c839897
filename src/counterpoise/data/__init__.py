"""What is measured on: specs (templates, words, citation, licence, version) and what is made of them."""

from counterpoise.data.becpro import becpro
from counterpoise.data.pairs import Pairs, read_pairs, tgb
from counterpoise.data.spec import citation, read_spec, spec_names
from counterpoise.data.templates import Templates, read_templates, tbd
from counterpoise.data.winobias import winobias
from counterpoise.data.winogender import winogender

__all__ = [
    "Pairs",
    "Templates",
    "becpro",
    "citation",
    "read_pairs",
    "read_spec",
    "read_templates",
    "spec_names",
    "tbd",
    "tgb",
    "winobias",
    "winogender",
]
